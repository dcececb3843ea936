import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { pythonWorker } from '../../../test/support/python-worker.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { freePort, startTemporal } from '../../../test/support/temporal.ts';
import { temporal } from '../../../test/support/temporal-program.ts';
import { startPython } from './start-python-for-tests.ts';

const AWAY_MS = 5000;
const WITHIN = { timeout: 60_000, interval: 200 };
type Event = { event_type: string; attributes: { task_id?: string } };

inFull.given(pythonWorker && temporal).describe('a server that is away for five seconds', () => {
  it('loses no run of an official Python worker, and no event of a step', { timeout: 300_000 }, async () => {
    const environment = {
      TRAMONTANE_TEMPORAL_ADDRESS: await startTemporal(),
      TRAMONTANE_TEMPORAL_GATEWAY_PORT: String(await freePort()),
      TRAMONTANE_PORT: String(await freePort()),
      TRAMONTANE_DATA_DIR: join(temporaryDir(), 'data'),
    };
    const database = sqliteForTests();
    let server = await startTestServer(database, { environment });
    const { key } = server;
    const script = join(import.meta.dirname, 'slow-worker-for-tests.py');
    const said = startPython(script, { SERVER_URL: server.url, MISTRAL_API_KEY: key });
    const get = async (path: string) => (await call(server, path, { key })).body as Record<string, unknown>;
    const events = async (id: string): Promise<Event[]> =>
      (await get(`/v1/workflows/events/list?limit=1000&workflow_exec_id=${id}`)).events as never;
    const told = async (id: string) => {
      const steps = (await events(id)).filter(({ event_type }) => event_type.startsWith('ACTIVITY'));
      return steps.map(({ event_type, attributes }) => `${event_type.split('_').at(-1)} ${attributes.task_id}`);
    };
    const isActive = async () => ((await get('/v1/workflows?active_only=true')).workflows as unknown[]).length > 0;
    await expect.poll(isActive, { ...WITHIN, message: said() }).toBe(true);

    const play = async (id: string, isTime: () => Promise<boolean>) => {
      const body = { execution_id: id, input: { name: 'Ada', seconds: [0.1, 3, 0.1] } };
      expect((await call(server, '/v1/workflows/slow/execute', { key, body })).status).toBe(200);
      await expect.poll(isTime, { ...WITHIN, interval: 20 }).toBe(true);
      await server.stop();
      await pause(AWAY_MS);
      server = await startTestServer(database, { environment });
      const status = async () => (await get(`/v1/workflows/executions/${id}`)).status;
      await expect.poll(status, { ...WITHIN, message: said() }).not.toMatch(/RUNNING|RETRYING/);
      expect([id, await status()]).toEqual([id, 'COMPLETED']);
      const [first, second, third] = [...new Set((await told(id)).map((step) => step.split(' ')[1]))];
      const steps = [first, second, third].flatMap((step) => [`STARTED ${step}`, `COMPLETED ${step}`]);
      expect([id, await told(id)]).toEqual([id, steps]);
      expect((await events(id)).at(-1)?.event_type).toBe('WORKFLOW_EXECUTION_COMPLETED');
    };
    const has = (id: string, count: number) => async () => (await told(id)).length >= count;
    await play('before registration', async () => true);
    await play('in a step', has('in a step', 3));
    await play('between steps', has('between steps', 2));
    await play('at the end', has('at the end', 5));
  });
});
