import { z } from 'zod';
import { uuid } from '../../kit/base/ids.ts';
import { type InnerAnswer, parseJson, type Scope } from '../../kit/http/index.ts';
import { type ApiEndpoint, BatchRequest } from '../schema.ts';
import type { AnswerRow, JobRow } from '../store.ts';
import type { Line } from './read-lines.ts';

/** One request to one of the platform's own endpoints, on behalf of who made the job. */
export type Ask = (
  endpoint: ApiEndpoint,
  call: { scope: Scope; body: unknown; requestId: string; idempotencyKey: string; signal: AbortSignal },
) => Promise<InnerAnswer>;

const TRIES_MAX = 10;
const WAIT_MS_MAX = 60_000;
/** What says that the server is busy, and not that the request is wrong. */
const BUSY = new Set([429, 502, 503, 504]);

export type LineContext = {
  job: JobRow;
  scope: Scope;
  position: number;
  ask: Ask;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  onFailure: (failure: unknown, position: number) => void;
  signal: AbortSignal;
};

/** Always an answer: whatever is wrong with the line, or with what it asks, becomes its error. */
export async function answerLine(line: Line, context: LineContext): Promise<AnswerRow> {
  const { job, position } = context;
  const read = readRequest(line);
  if ('mistake' in read) return rowOf(context, null, { error: read.mistake });
  const { custom_id, body } = read.request;
  const customId = custom_id ?? String(position);
  const { status, body: answer } = await askPatiently(requestOf(job, body), context);
  const response = { status_code: status, body: answer };
  return rowOf(context, customId, status < 400 ? { response } : { response, error: messageOf(answer, status) });
}

function readRequest(line: Line): { request: BatchRequest } | { mistake: string } {
  if ('tooLong' in line) return { mistake: 'The line is longer than 16 MiB.' };
  let value: unknown;
  try {
    value = parseJson(line.bytes);
  } catch {
    return { mistake: 'The line is not valid JSON.' };
  }
  const read = BatchRequest.safeParse(value);
  if (read.success) return { request: read.data };
  return { mistake: `The line is not a request {"custom_id", "body"}: ${z.prettifyError(read.error)}` };
}

/** What the job says once for all of its requests, each may say for itself. */
function requestOf({ model, agent_id }: JobRow, body: Record<string, unknown>): Record<string, unknown> {
  return { ...(model === null ? {} : { model }), ...(agent_id === null ? {} : { agent_id }), ...body };
}

async function askPatiently(body: Record<string, unknown>, context: LineContext): Promise<InnerAnswer> {
  const { job, position, scope, signal } = context;
  if (body.stream === true) {
    return { status: 400, body: { message: 'A request of a batch is answered whole: leave out `stream`.' } };
  }
  for (let tried = 1; ; tried++) {
    const answer = await context.ask(job.endpoint, {
      scope,
      body,
      requestId: `${job.id}-${position}`,
      idempotencyKey: `batch-${job.id}-${position}`,
      signal,
    });
    if (answer.failure !== undefined) context.onFailure(answer.failure, position);
    if (!BUSY.has(answer.status) || tried === TRIES_MAX) return answer;
    const waitMs = answer.retryAfterSeconds === undefined ? 100 * 2 ** tried : answer.retryAfterSeconds * 1000;
    await context.wait(Math.min(waitMs, WAIT_MS_MAX), signal);
  }
}

function rowOf(
  { job, position }: LineContext,
  customId: string | null,
  {
    response = null,
    error = null,
  }: { response?: { status_code: number; body: unknown } | null; error?: string | null },
): AnswerRow {
  const line = {
    id: `batch-${job.id.slice(-8)}-${position}-${uuid()}`,
    custom_id: customId,
    response,
    error: error === null ? null : { message: error },
  };
  return { job_id: job.id, position, is_success: error === null, line: JSON.stringify(line) };
}

function messageOf(body: unknown, status: number): string {
  const { message, detail } = (body ?? {}) as { message?: unknown; detail?: unknown };
  if (typeof message === 'string') return message;
  const [first] = Array.isArray(detail) ? detail : [];
  if (first) return `${(first.loc ?? []).join('.')}: ${first.msg}`;
  return typeof detail === 'string' ? detail : `The request was answered with ${status}.`;
}
