import { vi } from 'vitest';
import { defineStep } from '../../packages/workflows/src/define-step.ts';
import { defineWorkflow } from '../../packages/workflows/src/define-workflow.ts';
import type { AnyStep, AnyWorkflow } from '../../packages/workflows/src/definitions.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../packages/workflows/src/worker/index.ts';
import { type Answer, call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import type { TestServer } from '../../test/support/server.ts';

export { defineStep, defineWorkflow };

type Execution = { status: string; result: unknown; execution_id: string; run_id: string };
type PublicEvent = { event_type: string; attributes: Record<string, unknown> };

/** A worker in this process, speaking to the server over the wire as one on another machine does. */
export async function workFor(
  server: TestServer,
  workflows: AnyWorkflow[],
  steps: AnyStep[] = [],
  options: Partial<WorkerOptions> = {},
): Promise<Worker> {
  const worker = await startWorker({ url: server.url, apiKey: server.key, workflows, steps, ...options });
  atEnd(() => worker.stop(0));
  return worker;
}

/** Starts an execution and waits for its result. */
export async function execute(server: TestServer, name: string, input: object = {}): Promise<unknown> {
  const { status, body, text } = await call(server, `/v1/workflows/${name}/execute`, {
    body: { input, wait_for_result: true, timeout_seconds: 15 },
  });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return (body as Execution).result;
}

/** Starts an execution and goes on. */
export async function begin(server: TestServer, name: string, input: object = {}): Promise<string> {
  const { status, body, text } = await call(server, `/v1/workflows/${name}/execute`, { body: { input } });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return (body as Execution).execution_id;
}

export function ask(
  server: TestServer,
  id: string,
  what: 'signals' | 'queries' | 'updates',
  body: object,
): Promise<Answer> {
  return call(server, `/v1/workflows/executions/${id}/${what}`, { body });
}

/** The execution once it runs no more. */
export async function endOf(server: TestServer, id: string): Promise<Execution> {
  return until(async () => {
    const { body } = await call(server, `/v1/workflows/executions/${id}`);
    const execution = body as Execution;
    return ['RUNNING', 'RETRYING_AFTER_ERROR'].includes(execution.status) ? undefined : execution;
  });
}

/** The history once it has an event of this type. */
export async function historyOf(server: TestServer, id: string, type: string): Promise<string> {
  return until(async () => {
    const { text } = await call(server, `/v1/workflows/executions/${id}/history`);
    return text.includes(type) ? text : undefined;
  });
}

export async function listEvents(server: TestServer, id: string): Promise<PublicEvent[]> {
  const { body } = await call(server, `/v1/workflows/events/list?workflow_exec_id=${id}&limit=1000`);
  return (body as { events: PublicEvent[] }).events;
}

/** Asks again and again, and leaves the server time between. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  return vi.waitUntil(look, { interval: 50, timeout: 15_000 }) as Promise<T>;
}
