import { type AnyStep, defineStep } from '../../packages/workflows/src/define-step.ts';
import { type AnyWorkflow, defineWorkflow } from '../../packages/workflows/src/define-workflow.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../packages/workflows/src/worker/index.ts';
import { call } from '../support/call.ts';
import { atEnd } from '../support/cleanup.ts';
import type { TestServer } from '../support/server.ts';

export { defineStep, defineWorkflow };

const say = (message: string) => process.env.DEBUG_WORKER && process.stderr.write(message);
const LOG = { debug: say, info: say, warn: say, error: say };

/** A worker in this process, speaking to the server over the wire as one on another machine does. */
export async function workFor(
  server: TestServer,
  workflows: AnyWorkflow[],
  steps: AnyStep[] = [],
  options: Partial<WorkerOptions> = {},
): Promise<Worker> {
  const worker = await startWorker({ url: server.url, apiKey: server.key, workflows, steps, log: LOG, ...options });
  atEnd(() => worker.stop(0));
  return worker;
}

/** Starts an execution and waits for its result. */
export async function execute(server: TestServer, name: string, input: object = {}): Promise<unknown> {
  const { status, body, text } = await call(server, `/v1/workflows/${name}/execute`, {
    body: { input, wait_for_result: true, timeout_seconds: 15 },
  });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return (body as { result: unknown }).result;
}

/** Starts an execution and goes on. */
export async function begin(server: TestServer, name: string, input: object = {}): Promise<string> {
  const { status, body, text } = await call(server, `/v1/workflows/${name}/execute`, { body: { input } });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return (body as { execution_id: string }).execution_id;
}
