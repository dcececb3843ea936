import type { AdvanceResponse, HistoryEvent, PollResponse } from '../../packages/workflows/src/protocol.ts';
import { type Answer, call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import type { TestDatabase } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { type Code, createTestWorker, type TestWorker } from './engines/embedded/worker-for-tests.ts';
import type { WorkerPort } from './engines/embedded/worker-port.ts';

type Server = Pick<TestServer, 'url' | 'key'>;

/** A worker's side of the wire. */
export function portOver(server: Server): Pick<WorkerPort, 'poll' | 'advance' | 'historyPage' | 'answerQueries'> {
  const post = async (path: string, body: unknown, signal?: AbortSignal) => {
    const response = await fetch(`${server.url}/v1/workflows/workers/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    poll: (_, request, signal) =>
      post('poll', request, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return { workflow_tasks: [], step_tasks: [], queries: [], cancelled_steps: [] };
      }) as Promise<PollResponse>,
    advance: async (_, request) => (await post('advance', request)) as AdvanceResponse,
    answerQueries: async (_, request) => void (await post('queries', request)),
    async historyPage(_, runId, after) {
      const { body } = await call(server, `/v1/workflows/workers/history?run_id=${runId}&after=${after}`);
      return (body as { events: HistoryEvent[] }).events;
    },
  };
}

const anything = { type: 'object' };

/** What a worker says of a workflow, where a test has nothing special to say. */
export const definitionOf = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  task_queue: 'main',
  input_schema: anything,
  ...more,
});

export async function register(
  server: Server,
  definitions: Record<string, unknown>[],
  more: Record<string, unknown> = {},
): Promise<{ workflow_registration_ids: string[]; warnings: string[] } & Record<string, unknown>> {
  const body = { definitions, deployment_name: 'main', worker_name: 'worker-1', ...more };
  const answer = await call(server, '/v1/workflows/register', { body });
  if (answer.status !== 200) throw new Error(`register: ${answer.status} ${answer.text}`);
  return answer.body as never;
}

/** A worker that registers what its code has and works until the tests end. */
export async function startWorker(
  server: Server,
  code: Code,
  definitions: Record<string, Record<string, unknown>> = {},
  ids: { deployment?: string; name?: string } = {},
): Promise<TestWorker> {
  const names = Object.keys(code.workflows);
  await register(
    server,
    names.map((name) => definitionOf(name, definitions[name])),
    { deployment_name: ids.deployment ?? 'main', worker_name: ids.name ?? 'worker-1' },
  );
  const worker = createTestWorker({ port: portOver(server), workspaceId: '', code, now: Date.now, ...ids });
  worker.run();
  atEnd(() => worker.stop());
  return worker;
}

/** Waits for what a worker does in its own time. */
export const WITHIN = { timeout: 15_000, interval: 50 };

export type Workflows = {
  server: TestServer;
  send: (method: string, path: string, body?: unknown, key?: string) => Promise<Answer>;
};

export async function startWorkflows(database: TestDatabase, file: Record<string, unknown> = {}): Promise<Workflows> {
  const server = await startTestServer(database, { file });
  return {
    server,
    send: (method, path, body, key) =>
      call(server, `/v1/workflows${path}`, { method, key, ...(body === undefined ? {} : { body }) }),
  };
}
