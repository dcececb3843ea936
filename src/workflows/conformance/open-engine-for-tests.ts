import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { loadDefinitions, startWorker } from '../../../packages/workflows/src/worker/index.ts';
import { type Answer, call } from '../../../test/support/call.ts';
import { atEnd } from '../../../test/support/cleanup.ts';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { startTemporal } from '../../../test/support/temporal.ts';

export type Engine = 'embedded' | 'temporal';
export type Execution = { status: string; result: unknown; execution_id: string; run_id: string };
export type PublicEvent = {
  event_type: string;
  workflow_exec_id: string;
  attributes: Record<string, unknown>;
} & Record<string, unknown>;

const WITHIN = { interval: 25, timeout: 40_000 };
const DIFFERENCES = readFileSync(new URL('../../../docs/temporal.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');

/** Loaded once: a module defines what it has when it is first imported. */
let definitions: ReturnType<typeof loadDefinitions> | undefined;

/** A server with a worker on one of the engines, and what the scenarios do with it: all of it over the public API. */
export async function openEngine(engine: Engine): Promise<At> {
  const environment: Record<string, string> =
    engine === 'temporal'
      ? { TRAMONTANE_TEMPORAL_ADDRESS: await startTemporal(), TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0' }
      : {};
  const server = await startTestServer(sqliteForTests(), { environment });
  definitions ??= loadDefinitions(join(import.meta.dirname, 'workflows-for-tests.ts'));
  const worker = await startWorker({ url: server.url, apiKey: server.key, name: 'worker-1', ...(await definitions) });
  atEnd(() => worker.stop(0));
  return at(engine, server);
}

export type At = ReturnType<typeof at>;

function at(engine: Engine, server: TestServer) {
  const dir = temporaryDir();
  const send = (
    path: string,
    body?: unknown,
    more: { method?: string; headers?: Record<string, string>; key?: string } = {},
  ) => call(server, `/v1/workflows${path}`, { ...more, ...(body === undefined ? {} : { body }) });

  /** An execution that has begun. */
  async function begin(name: string, input: object = {}, more: object = {}): Promise<string> {
    const answer = await send(`/${name}/execute`, { input, ...more });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    return (answer.body as Execution).execution_id;
  }

  async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
    return vi.waitUntil(look, WITHIN) as Promise<T>;
  }

  async function read(id: string): Promise<Execution> {
    return (await send(`/executions/${id}`)).body as Execution;
  }

  const events = async (id: string): Promise<PublicEvent[]> => {
    const { body } = await send(`/events/list?root_workflow_exec_id=${id}&limit=1000`);
    return (body as { events: PublicEvent[] }).events;
  };

  return {
    engine,
    server,
    send,
    begin,
    until,
    read,
    events,
    newFile: () => join(dir, randomUUID()),
    /** What steps wrote, once there is something. */
    written: (file: string) => until(async () => existsSync(file) && readFileSync(file, 'utf8')),
    /** An execution and its answer, waited for in the request itself. */
    execute: (name: string, input: object = {}): Promise<Answer> =>
      send(`/${name}/execute`, { input, wait_for_result: true, timeout_seconds: 40 }),
    async result(name: string, input: object = {}): Promise<unknown> {
      const answer = await send(`/${name}/execute`, { input, wait_for_result: true, timeout_seconds: 40 });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
      return (answer.body as Execution).result;
    },
    endOf: (id: string): Promise<Execution> =>
      until(async () => {
        const execution = await read(id);
        return !['RUNNING', 'RETRYING_AFTER_ERROR'].includes(execution.status) && execution;
      }),
    /** The types of the events of a tree that has ended. */
    types: async (id: string) => (await events(id)).map(({ event_type }) => event_type),
    async history(id: string): Promise<string[]> {
      const { body } = await send(`/executions/${id}/history`);
      return (body as { events: { eventType: string }[] }).events.map(({ eventType }) => eventType.slice(11));
    },
    /** Whether Temporal may do otherwise here: only where its page says so, in these words. */
    differs(line: string): boolean {
      if (!DIFFERENCES.includes(line)) throw new Error(`docs/temporal.md does not say: ${line}`);
      return engine === 'temporal';
    },
  };
}
