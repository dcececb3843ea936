import { defineStep, defineWorkflow } from '../../../packages/workflows/src/index.ts';
import { startWorker, type Worker } from '../../../packages/workflows/src/worker/index.ts';
import { ask } from '../support/ask.ts';
import type { Served } from '../support/start-server.ts';
import type { Asked } from './read-stream.ts';

/** One durable stream: how it is first read, how it is resumed, and when it has been read completely. */
export type Life = {
  first: Asked;
  /** Ways to resume after an id; without one, from the beginning. */
  again: ((lastId: string | undefined) => Asked)[];
  enough?: (events: string[]) => boolean;
};

export type Durable = { operations: string[]; name: string; begin: (mark: string) => Promise<Life> };

const LOGS = 30;

const note = defineStep('note', async ({ n }: { n: number }) => n + 1);
const busy = defineWorkflow('busy', {}, async (ctx) => {
  const task = ctx.task<{ done: number }>('progress', { done: 0 });
  for (let n = 1; n <= 6; n++) {
    task.update({ done: n });
    await ctx.step(note, { n });
  }
  task.complete();
});

export function startBusyWorker({ url, credentials }: Served): Promise<Worker> {
  const apiKey = (credentials.standard?.authorization ?? '').slice('Bearer '.length);
  return startWorker({ url, apiKey, workflows: [busy], steps: [note], deployment: 'trust' });
}

/** Every resumable stream, by what creates one. */
export function durableStreams(served: Served): Durable[] {
  const headers = served.credentials.standard as Record<string, string>;
  const at = (path: string): Asked => ({ url: `${served.url}${path}`, headers });
  const after = (path: string) => (lastId: string | undefined) =>
    lastId === undefined ? at(path) : { ...at(path), headers: { ...headers, 'last-event-id': lastId } };
  const byParameter = (path: string, name: string) => (lastId: string | undefined) =>
    at(lastId === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(lastId)}`);
  const post = async (path: string, body: unknown) => {
    const answered = await ask(`${served.url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    });
    if (answered.status >= 300) throw new Error(`POST ${path}: ${answered.status} ${answered.text}`);
    return JSON.parse(answered.text) as Record<string, string>;
  };

  /** A turn with an idempotency key: the same request again, or the events of the conversation. */
  const turn = (path: string, body: object, mark: string, conversation?: string): Life => {
    const asked = { ...at(path), method: 'POST', body: { ...body, stream: true } };
    const keyed = { ...asked, headers: { ...headers, 'idempotency-key': `key-${mark}` } };
    const repeat = (lastId: string | undefined) =>
      lastId === undefined ? keyed : { ...keyed, headers: { ...keyed.headers, 'last-event-id': lastId } };
    return {
      first: keyed,
      again: conversation === undefined ? [repeat] : [repeat, after(`/v1/conversations/${conversation}/events`)],
    };
  };
  const inputs = (mark: string) => ({ inputs: `say 25 ${mark}` });
  const startConversation = async (mark: string) =>
    post('/v1/conversations', { model: 'small', inputs: `say 1 first-${mark}`, stream: false });

  const execution = (path: (id: string) => string, ways: (path: string) => Life['again']) => async () => {
    const { execution_id: id = '' } = await post('/v1/workflows/busy/execute', { input: {} });
    return { first: at(path(id)), again: ways(path(id)) };
  };

  return [
    {
      name: 'a conversation that starts',
      operations: ['agents_api_v1_conversations_start'],
      begin: async (mark) => turn('/v1/conversations', { model: 'small', ...inputs(mark) }, mark),
    },
    {
      name: 'a conversation that goes on',
      operations: ['agents_api_v1_conversations_append', 'tramontane_conversations_events'],
      begin: async (mark) => {
        const { conversation_id: id = '' } = await startConversation(mark);
        return turn(`/v1/conversations/${id}`, inputs(mark), mark, id);
      },
    },
    {
      name: 'a conversation from an entry',
      operations: ['agents_api_v1_conversations_restart'],
      begin: async (mark) => {
        const { conversation_id: id = '' } = await startConversation(mark);
        const history = await ask(`${served.url}/v1/conversations/${id}/history`, { headers });
        const [entry] = (JSON.parse(history.text) as { entries: { id: string }[] }).entries;
        return turn(`/v1/conversations/${id}/restart`, { ...inputs(mark), from_entry_id: entry?.id }, mark);
      },
    },
    {
      name: 'a stored response',
      operations: ['openai_responses_get'],
      begin: async (mark) => {
        const asked = { model: 'small', input: `say 25 ${mark}`, background: true };
        const { id } = await post('/openai/v1/responses', asked);
        const path = `/openai/v1/responses/${id}?stream=true`;
        return { first: at(path), again: [byParameter(path, 'starting_after')] };
      },
    },
    {
      name: 'the events of executions',
      operations: ['get_stream_events_v1_workflows_events_stream_get'],
      begin: execution(
        (id) => `/v1/workflows/events/stream?workflow_exec_id=${id}`,
        (path) => [after(path)],
      ),
    },
    {
      name: 'the events of one execution',
      operations: ['stream_v1_workflows_executions__execution_id__stream_get'],
      begin: execution(
        (id) => `/v1/workflows/executions/${id}/stream`,
        (path) => [after(path), byParameter(path, 'last_event_id')],
      ),
    },
    ...['execution', 'deployment'].map(
      (of): Durable => ({
        name: `the logs of an ${of}`,
        operations: [of === 'execution' ? 'stream_workflow_execution_logs' : 'stream_deployment_logs'],
        begin: async (mark) => {
          const { execution_id: id = '' } = await post('/v1/workflows/busy/execute', { input: {} });
          const worker_name = `worker-${mark}`;
          const records = Array.from({ length: LOGS }, (_, n) => ({
            id: `${mark}-${n}`,
            time_ms: Date.now() + n,
            severity: 'INFO',
            body: `line ${n} of ${mark}`,
            execution_id: id,
          }));
          await post('/v1/workflows/workers/logs', { deployment_name: 'trust', worker_name, records });
          const path =
            of === 'execution'
              ? `/v1/workflows/executions/${id}/logs/stream`
              : `/v1/workflows/deployments/trust/logs/stream?worker_name=${worker_name}`;
          return {
            first: at(path),
            again: [after(path), byParameter(path, 'last_event_id')],
            enough: (events) => events.length >= LOGS,
          };
        },
      }),
    ),
  ];
}
