import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { isFull } from '../../test/support/rounds.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { begin, execute } from './work-for-tests.ts';

const script = fileURLToPath(new URL('./deadly-worker-for-tests.ts', import.meta.url));

/** Of workflows that end their worker in a turn, or in a step. */
const DEADLY = isFull
  ? ['exits', 'aborts', 'allocates', 'runs-exits', 'runs-exits-later']
  : ['exits', 'runs-exits-later'];

onSqliteFirst('a run that its workers do not survive', (database) => {
  let server: TestServer;
  let worker: ChildProcess;
  let deaths = 0;
  let isOver = false;

  /** Starts the next worker as soon as one dies, as a supervisor does. */
  function start(): void {
    const args = ['--max-old-space-size=64', script, server.url, server.key, `deadly-${deaths}`];
    worker = spawn(process.execPath, args, { stdio: 'ignore' });
    worker.once('exit', () => {
      deaths++;
      if (!isOver) start();
    });
  }

  beforeAll(async () => {
    server = await startTestServer(database);
    start();
  });
  afterAll(() => {
    isOver = true;
    worker.kill('SIGKILL');
  });

  type Shown = { status: string; result: unknown; search_keys: Record<string, string> };
  const look = async (id: string) =>
    (await call(server, `/v1/workflows/executions/${id}?include_search_keys=true`)).body as Shown;

  it('is set aside after three of them, while the next ones go on with all others', { timeout: 120_000 }, async () => {
    await expect.poll(() => execute(server, 'fine').catch(String)).toBe('slow');
    const started = deaths;
    const others = await Promise.all([0, 3000, 6000].map((ms) => begin(server, 'fine', { ms })));
    const deadly = await Promise.all(DEADLY.map((name) => begin(server, name)));
    const reasons = async () => {
      const all = await Promise.all(deadly.map(look));
      return all.map(({ status, search_keys }) => [status, search_keys['internal.execution.quarantined']]);
    };
    const isSetAside = ['RUNNING', expect.stringMatching(/^3 workers did not survive /)];
    await expect.poll(reasons, { timeout: 90_000, interval: 500 }).toEqual(deadly.map(() => isSetAside));
    const died = deaths - started;
    expect(died).toBeGreaterThanOrEqual(3);
    expect(died).toBeLessThanOrEqual(2 + 2 * deadly.length);
    const ended = async () => (await Promise.all(others.map(look))).map(({ result }) => result);
    await expect.poll(ended, { timeout: 60_000, interval: 200 }).toEqual(others.map(() => 'slow'));
    expect(await execute(server, 'fine')).toBe('slow');
    expect(deaths - started).toBe(died);

    const [id = ''] = deadly;
    await call(server, `/v1/workflows/executions/${id}/cancel`, { body: {} });
    expect((await look(id)).status).toBe('CANCELED');
  });

  it('gets the failure of a step that has no attempt left', { timeout: 60_000 }, async () => {
    const id = await begin(server, 'runs-exits-once');
    const result = async () => (await look(id)).result;
    await expect.poll(result, { timeout: 50_000 }).toMatch(/^The step "exits-once" failed: 2 workers were lost/);
  });
});
