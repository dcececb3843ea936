import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, type ExpectStatic, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { ask, begin, endOf, execute, historyOf, listEvents } from './work-for-tests.ts';

const script = fileURLToPath(new URL('./mistaken-worker-for-tests.ts', import.meta.url));

onSqliteFirst('a worker whose code leaves errors unhandled', (database) => {
  let server: TestServer;
  let worker: ChildProcess;
  let errors = '';

  beforeAll(async () => {
    server = await startTestServer(database);
    worker = spawn(process.execPath, [script, server.url, server.key, 'mistaken'], { stdio: 'pipe' });
    worker.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    atEnd(() => void worker.kill('SIGKILL'));
    await Promise.race([
      once(worker.stdout as NodeJS.ReadableStream, 'data'),
      once(worker, 'exit').then(() => Promise.reject(new Error(errors))),
    ]);
  });

  const isAlive = () => worker.exitCode === null && worker.signalCode === null;
  const othersGoOn = async (expect: ExpectStatic) => {
    expect(await execute(server, 'fine')).toBe('slow');
    expect(isAlive()).toBe(true);
  };

  async function childOf(id: string): Promise<string> {
    const history = await historyOf(server, id, 'CHILD_WORKFLOW_EXECUTION_STARTED');
    return /"executionId":"([^"]+:1)"/.exec(history)?.[1] ?? '';
  }

  it.concurrent.for([
    ['awaits-later', 'The step "fails" failed: earlier than it is awaited'],
    ['awaits-child-later', 'ChildFailed'],
    ['awaits-no-step', 'done'],
    ['awaits-no-child', 'done'],
    ['awaits-nothing-else', 'done'],
    ['awaits-all', 'done'],
    ['compensates', 'undone'],
    ['leaves-after-end', 'done'],
  ] as const)(
    'goes on with promises of the context that fail before they are awaited, or never are: %s',
    async ([name, result], { expect }) => {
      expect(await endOf(server, await begin(server, name))).toMatchObject({ status: 'COMPLETED', result });
      await othersGoOn(expect);
    },
  );

  it.concurrent.for([
    ['runs-leaving-step', /^The step "leaves-promise" failed: .* left an error unhandled, .*: left in a step$/],
    [
      'runs-throwing-step',
      /^The step "leaves-timer" failed: .* left an error unhandled, .*: thrown in a timer of a step$/,
    ],
    ['runs-local-leaving-step', /^The step "leaves-promise" failed: .* left an error unhandled, .*: left in a step$/],
    ['runs-late-step', /^ended before$/],
    ['abandons-throwing-step', /^It took longer than 300 ms.$/],
  ] as const)('fails the attempt of the step that left an error: %s', async ([name, result], { expect }) => {
    expect(await endOf(server, await begin(server, name))).toMatchObject({
      status: 'COMPLETED',
      result: expect.stringMatching(result),
    });
    await othersGoOn(expect);
  });

  it('ends a cancelled execution whose code no longer waits for what is cancelled', async () => {
    const id = await begin(server, 'sleeps-in-background');
    await historyOf(server, id, 'TIMER_STARTED');
    await call(server, `/v1/workflows/executions/${id}/cancel`, { body: {} });
    expect((await endOf(server, id)).status).toBe('CANCELED');
    await othersGoOn(expect);
  });

  it('answers queries and updates whose handlers leave errors', async () => {
    const id = await begin(server, 'asked-in-vain');
    await historyOf(server, id, 'WORKFLOW_TASK_COMPLETED');
    expect((await ask(server, id, 'queries', { name: 'leaves' })).body).toMatchObject({ result: 'answered' });
    expect((await ask(server, id, 'queries', { name: 'waits' })).text).toContain('a query only reads what is there');
    expect((await ask(server, id, 'updates', { name: 'go', input: {} })).text).toContain('refused');
    await ask(server, id, 'signals', { name: 'go', input: {} });
    expect(await endOf(server, id)).toMatchObject({ status: 'COMPLETED', result: 'done' });
    await othersGoOn(expect);
  });

  it.concurrent.for([
    ['leaves-promise', 'bare'],
    ['leaves-text', 'no error at all'],
    ['leaves-all', 'The step "fails" failed: first of all'],
    ['leaves-async', 'in an async function'],
    ['leaves-in-finally', 'in finally'],
    ['leaves-in-signal', 'in a signal'],
    ['leaves-in-update', 'in an update'],
    ['leaves-in-child', 'left in a child'],
    ['throws-in-microtask', 'in a microtask'],
    ['throws-in-tick', 'in a tick'],
    ['throws-in-timer', 'in an immediate'],
  ] as const)('fails the turn of the run that left an error, and says which: %s', async ([name, words], { expect }) => {
    const id = await begin(server, name);
    if (name === 'leaves-in-signal' || name === 'leaves-in-update') {
      await historyOf(server, id, 'TIMER_STARTED');
      const message = name === 'leaves-in-signal' ? 'signals' : 'updates';
      ask(server, id, message, { name: 'go', input: {} }).catch(() => undefined);
    }
    const said = expect.stringMatching(new RegExp(`^The workflow .* left an error unhandled, .*: ${words}$`));
    const ofRun = name === 'leaves-in-child' ? await childOf(id) : id;
    const failed = async () =>
      (await listEvents(server, ofRun)).find(({ event_type }) => event_type === 'WORKFLOW_TASK_FAILED');
    await expect.poll(failed).toMatchObject({ attributes: { failure: { message: said } } });
    const logs = async () => (await call(server, `/v1/workflows/executions/${ofRun}/logs`)).body;
    await expect
      .poll(logs)
      .toMatchObject({ results: expect.arrayContaining([expect.objectContaining({ body: said })]) });
    await othersGoOn(expect);
    await call(server, `/v1/workflows/executions/${id}/terminate`, { body: {} });
  });

  it('ends as Node ends it after a rejection that belongs to no run', async () => {
    worker.stdin?.write('now');
    expect(await once(worker, 'exit')).toEqual([1, null]);
    expect(errors).toMatch(/Error: the program itself\n(.|\n)*Node\.js v/);
  });
});
