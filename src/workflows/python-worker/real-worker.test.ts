import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { atEnd } from '../../../test/support/cleanup.ts';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { pythonWorker } from '../../../test/support/python-worker.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { startTemporal } from '../../../test/support/temporal.ts';
import { temporal } from '../../../test/support/temporal-program.ts';
import { recordExchange } from './record-exchange-for-tests.ts';
import { playScenario } from './scenario-for-tests.ts';
import { startPython } from './start-python-for-tests.ts';
import { summarise } from './summarise-for-tests.ts';

/** Set to make the recording anew: TRAMONTANE_TEST_RECORD=yes. */
const isRecording = process.env.TRAMONTANE_TEST_RECORD !== undefined;

describe.runIf(pythonWorker && temporal)('a worker of the official Python SDK', () => {
  it('serves what clients start, ask, change, follow and cancel', { timeout: 180_000 }, async () => {
    const address = await startTemporal();
    const environment = { TRAMONTANE_TEMPORAL_ADDRESS: address, TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0' };
    const server = await startTestServer(sqliteForTests(), { environment });
    const door = await recordExchange(server.url);
    atEnd(() => door.close());
    const script = join(import.meta.dirname, 'worker-for-tests.py');
    const said = startPython(script, { SERVER_URL: door.url, MISTRAL_API_KEY: server.key });
    const active = async () => {
      const { body } = await call(server, '/v1/workflows?active_only=true');
      return (body as { workflows: unknown[] }).workflows.length;
    };
    await expect.poll(active, { timeout: 60_000, interval: 200, message: said() }).toBeGreaterThan(5);
    await playScenario(door.url, server.key);
    // One heartbeat belongs to the record of a worker; it comes within ten seconds.
    const beats = () => door.exchanged().filter(({ path }) => path.endsWith('/heartbeat')).length;
    await expect.poll(beats, { timeout: 20_000, interval: 200 }).toBeGreaterThan(0);
    const recording = await summarise({ exchanged: door.exchanged(), logs: server.logs, address });
    expect(Object.values(recording.calls).flatMap(Object.keys)).not.toContain('7');
    if (isRecording)
      writeFileSync(join(import.meta.dirname, 'recording.json'), `${JSON.stringify(recording, null, 2)}\n`);
  });

  it('runs as docs/python-workers.md prints it', { timeout: 120_000 }, async () => {
    const environment = { TRAMONTANE_TEMPORAL_ADDRESS: await startTemporal(), TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0' };
    const server = await startTestServer(sqliteForTests(), { environment });
    const page = readFileSync(new URL('../../../docs/python-workers.md', import.meta.url), 'utf8');
    const script = join(temporaryDir(), 'worker.py');
    writeFileSync(script, /```python\n(.*?)```/s.exec(page)?.[1] ?? '');
    const said = startPython(script, { SERVER_URL: server.url, MISTRAL_API_KEY: server.key });
    const body = { input: { name: 'Ada' }, wait_for_result: true };
    const execute = async () => (await call(server, '/v1/workflows/greeting/execute', { body })).body;
    await expect
      .poll(execute, { timeout: 60_000, interval: 500, message: said() })
      .toMatchObject({ result: { result: 'Hello, Ada' } });
  });
});
