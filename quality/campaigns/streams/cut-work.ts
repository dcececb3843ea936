import { setTimeout as delay } from 'node:timers/promises';
import type { Served } from '../support/start-server.ts';
import type { Asked } from './read-stream.ts';
import { readStream } from './read-stream.ts';
import type { Given, Upstream } from './start-upstream.ts';

const SETTLE_MS = 20_000;
/** The ledger is written once a second, once earlier writes are on disk. */
const LEDGER_MS = 60_000;

/** Streams whose work ends with their reader, and the request for each. */
export const ENDING: Record<string, (mark: string) => { path: string; body: object }> = {
  chat_completion_v1_chat_completions_post: (mark) => ({
    path: '/v1/chat/completions',
    body: { model: 'small', stream: true, messages: [{ role: 'user', content: `say endless ${mark}` }] },
  }),
  fim_completion_v1_fim_completions_post: (mark) => ({
    path: '/v1/fim/completions',
    body: { model: 'small', stream: true, prompt: `say endless ${mark}` },
  }),
  agents_completion_v1_agents_completions_post: (mark) => ({
    path: '/v1/agents/completions',
    body: { agent_id: '', stream: true, messages: [{ role: 'user', content: `say endless ${mark}` }] },
  }),
  speech_v1_audio_speech_post: (mark) => ({
    path: '/v1/audio/speech',
    body: { model: 'voice', stream: true, input: `say endless ${mark}`, response_format: 'pcm' },
  }),
  create_response_v1_responses_post: (mark) => ({
    path: '/v1/responses',
    body: { model: 'small', stream: true, input: `say endless ${mark}` },
  }),
  openai_chat_completions_create: (mark) => ({
    path: '/openai/v1/chat/completions',
    body: { model: 'small', stream: true, messages: [{ role: 'user', content: `say endless ${mark}` }] },
  }),
  openai_completions_create: (mark) => ({
    path: '/openai/v1/completions',
    body: { model: 'small', stream: true, prompt: `say endless ${mark}` },
  }),
  openai_responses_create: (mark) => ({
    path: '/openai/v1/responses',
    body: { model: 'small', stream: true, store: false, input: `say endless ${mark}` },
  }),
  openai_audio_speech_create: (mark) => ({
    path: '/openai/v1/audio/speech',
    body: {
      ...{ model: 'voice', voice: 'ada', input: `say endless ${mark}` },
      ...{ response_format: 'pcm', stream_format: 'sse' },
    },
  }),
  anthropic_messages_create: (mark) => ({
    path: '/anthropic/v1/messages',
    body: {
      ...{ model: 'small', stream: true, max_tokens: 30_000 },
      messages: [{ role: 'user', content: `say endless ${mark}` }],
    },
  }),
};

type UsageRow = {
  request_id: string;
  status: number;
  prompt_tokens: number;
  completion_tokens: number;
  prompt_audio_seconds?: number;
};

export type CutWork = { mark: string; requestId: string; given: Given; stoppedMs: number; operation: string };

/** Disconnects from a stream after a few bytes; resolves when its work has stopped at the model server. */
export async function cutWork(
  { url, credentials }: Served,
  upstream: Upstream,
  [operation, make]: [string, (mark: string) => { path: string; body: object }],
  { mark, agentId, bytes }: { mark: string; agentId: string; bytes: number },
): Promise<CutWork> {
  const { path, body } = make(mark);
  const requestId = `cut-${mark}`;
  const asked: Asked = {
    url: `${url}${path}`,
    method: 'POST',
    headers: { ...credentials.standard, 'x-request-id': requestId },
    body: 'agent_id' in body ? { ...body, agent_id: agentId } : body,
  };
  await readStream(asked, { bytes });
  const leftAt = performance.now();
  const given = upstream.given(mark);
  if (!given) throw new Error(`${operation}: the server of the models was never asked for ${mark}`);
  const stopped = await Promise.race([given.closed, delay(SETTLE_MS, undefined)]);
  return { mark, requestId, given, operation, stoppedMs: stopped === undefined ? SETTLE_MS : stopped - leftAt };
}

/** Errors in the ledger about streams that were cut: each must have one row, as cancelled, with its usage. */
export async function judgeLedger({ child }: Served, cuts: CutWork[]): Promise<string[]> {
  const limit = performance.now() + LEDGER_MS;
  let rows: Map<string, UsageRow[]>;
  do {
    await delay(100);
    rows = Map.groupBy(await child.ask<UsageRow[]>('usage'), ({ request_id }) => request_id);
  } while (performance.now() < limit && cuts.some(({ requestId }) => !rows.has(requestId)));
  return cuts.flatMap(({ requestId, operation, given }) => {
    const found = rows.get(requestId) ?? [];
    const [row] = found;
    if (!row || found.length !== 1) return [`${operation}: ${found.length} rows for ${requestId}`];
    if (row.status !== 499) return [`${operation}: status ${row.status} for a stream that was cut`];
    if (operation.includes('speech')) return row.prompt_tokens > 0 ? [] : [`${operation}: nothing was billed`];
    const isRight = row.prompt_tokens > 0 && row.completion_tokens > 0 && row.completion_tokens <= given.pieces * 3;
    return isRight
      ? []
      : [`${operation}: ${row.prompt_tokens} + ${row.completion_tokens} tokens for ${given.pieces} words`];
  });
}
