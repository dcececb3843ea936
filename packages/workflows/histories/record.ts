import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/config.ts';
import { startServer } from '../../../src/main.ts';
import { startWorker } from '../src/worker/index.ts';
import { steps, workflows } from './workflows.ts';

/**
 * Runs each workflow of `workflows.ts` without a recorded history on a real server and records it. Existing histories
 * are never replaced. Usage: `node packages/workflows/histories/record.ts`.
 */
const apiKey = 'a-key-that-only-the-recording-has-and-knows';
const dataDir = mkdtempSync(join(tmpdir(), 'tramontane-record-'));
const server = await startServer({
  ...loadConfig({
    TRAMONTANE_PORT: '0',
    TRAMONTANE_DATA_DIR: dataDir,
    TRAMONTANE_BOOTSTRAP_API_KEY: apiKey,
    TRAMONTANE_LOG_LEVEL: 'error',
    TRAMONTANE_CONFIG: join(import.meta.dirname, '../../../test/fixtures/no-models.yaml'),
  }),
});
const worker = await startWorker({ url: server.url, apiKey, workflows, steps, name: 'recorder' });

async function call<T>(path: string, body?: object): Promise<T> {
  const response = await fetch(`${server.url}/v1/workflows${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

type Execution = { execution_id: string; run_id: string; status: string };

async function until(id: string, isThere: (execution: Execution, history: string) => boolean): Promise<Execution> {
  for (;;) {
    const execution = await call<Execution>(`/executions/${id}`);
    const history = JSON.stringify(await call(`/executions/${id}/history`));
    if (isThere(execution, history)) return execution;
  }
}

const INPUTS: Record<string, object> = { 'recorded-renewed': { left: 3 } };

const PEOPLE: Record<string, (id: string) => Promise<void>> = {
  async 'recorded-everything'(id) {
    await call(`/executions/${id}/signals`, { name: 'go', input: { word: 'on' } });
    await call(`/executions/${id}/updates`, { name: 'bump', input: { by: 2 } });
    await until(id, (_, history) => history.includes('waiting_for_input'));
    type Pending = { result: { pending_inputs: { task_id: string }[] } };
    const { result } = await call<Pending>(`/executions/${id}/queries`, { name: '__get_pending_inputs' });
    const task_id = result.pending_inputs[0]?.task_id;
    await call(`/executions/${id}/updates`, { name: '__submit_input', input: { task_id, input: { ok: true } } });
  },
  async 'recorded-cancelled'(id) {
    await until(id, (_, history) => history.includes('TIMER_STARTED'));
    await call(`/executions/${id}/cancel`, {});
  },
};

/** Stacks are removed. */
const withoutStack = (key: string, value: unknown) => (key === 'stack' ? undefined : value);

const known = new Set(readdirSync(import.meta.dirname));
for (const { name } of workflows) {
  if (known.has(`${name}.json`)) continue;
  const { execution_id: id } = await call<Execution>(`/${name}/execute`, { input: INPUTS[name] ?? {} });
  await PEOPLE[name]?.(id);
  const { run_id } = await until(id, ({ status }) => status !== 'RUNNING');
  const { events } = await call<{ events: object[] }>(`/workers/history?run_id=${run_id}`);
  writeFileSync(
    join(import.meta.dirname, `${name}.json`),
    `{"run_id":"${run_id}","history":[\n${events.map((event) => JSON.stringify(event, withoutStack)).join(',\n')}\n]}\n`,
  );
}
await worker.stop(0);
await server.stop();
