import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { type Fate, startFlakyProxy } from './flaky-proxy-for-tests.ts';
import { ask, begin, defineStep, defineWorkflow, endOf, execute, listEvents, workFor } from './work-for-tests.ts';

const runs: string[] = [];
const note = defineStep('ahead-note', async (name: string) => {
  runs.push(name);
  return name;
});
const abortions: string[] = [];
const wait = defineStep('ahead-wait', async (name: string, ctx) => {
  await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
  abortions.push(name);
});
const rest = defineStep('ahead-rest', async (ms: number) => void (await pause(ms)));
const restAndNote = defineStep('ahead-rest-and-note', async (name: string) => {
  // Longer than a worker waits before it sends a message again.
  await pause(name === 'slow' ? 700 : 3);
  runs.push(name);
  return name;
});
const tell = defineStep('ahead-tell', async (_: null, ctx) => {
  const task = ctx.task('telling', { said: 1 });
  task.complete();
});

const three = defineWorkflow('ahead-three', {}, async (ctx) => {
  const said: string[] = [];
  for (const name of ['a', 'b', 'c']) said.push(await ctx.step(note, name));
  return said;
});
const overtaken = defineWorkflow('ahead-overtaken', { signals: { word: {} } }, async (ctx) => {
  const first = await ctx.step(note, 'first');
  const second = await ctx.step(note, 'second');
  return [first, second, await ctx.receive('word')];
});
const cancelled = defineWorkflow('ahead-cancelled', {}, async (ctx) => {
  await ctx.step(note, 'before');
  await ctx.step(wait, 'after');
});
const once = defineWorkflow('ahead-once', {}, async (ctx) => [
  await ctx.step(note, 'quick'),
  await ctx.step(restAndNote, 'slow'),
]);
const slow = defineWorkflow('ahead-slow', {}, async (ctx) => {
  await ctx.step(rest, 5);
  await ctx.step(rest, 40);
  await ctx.step(tell, null);
});

/** Signals come at any time; each is answered by a step of its own, beside the others. */
const disturbed = defineWorkflow('ahead-disturbed', { signals: { word: {} } }, async (ctx, input) => {
  const { id } = input as { id: string };
  const heard = (async () => {
    const words: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { word } = (await ctx.receive('word')) as { word: string };
      words.push(await ctx.step(note, `${id}/heard-${word}`));
    }
    return words;
  })();
  for (let n = 0; n < 6; n++) await ctx.step(n % 3 === 2 ? restAndNote : note, `${id}/step-${n}`);
  return (await heard).length;
});

type Message = { advances: { run_id: string; commands: { type: string }[] }[] };

onSqliteFirst('a worker that has not heard from the server yet', (database) => {
  let server: TestServer;
  const messages: Message[] = [];
  let gate: Promise<void> | undefined;
  let isAnswerLost = false;
  let answersMs = 0;

  beforeAll(async () => {
    server = await startTestServer(database);
    const fateOf = async (path: string, body: string): Promise<Fate> => {
      if (!path.endsWith('/advance')) return 'passes';
      messages.push(JSON.parse(body) as Message);
      await gate;
      if (!isAnswerLost || !body.includes('"quick"')) return 'passes';
      isAnswerLost = false;
      return 'answer lost';
    };
    const url = await startFlakyProxy(server.url, fateOf, (path) =>
      path.endsWith('/advance') ? pause(answersMs) : undefined,
    );
    await workFor(server, [three, overtaken, cancelled, once, slow, disturbed], [note, wait, rest, restAndNote, tell], {
      url,
    });
  });

  /** The worker's messages arrive when the returned function is called. */
  function hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    messages.length = 0;
    runs.length = 0;
    return () => {
      gate = undefined;
      resolve();
    };
  }
  const untilSent = () => expect.poll(() => messages.length, { timeout: 15_000, interval: 5 }).toBeGreaterThan(0);

  async function stepsOf(id: string): Promise<unknown[]> {
    const { body } = await call(server, `/v1/workflows/executions/${id}/history`);
    const { events } = body as { events: { event_type?: string; type?: string; attributes?: object }[] };
    return events.filter((event) => JSON.stringify(event).includes('ACTIVITY_TASK_SCHEDULED'));
  }

  it('goes on with the results of quick steps, and sends all turns in one message', async () => {
    messages.length = 0;
    expect(await execute(server, 'ahead-three')).toEqual(['a', 'b', 'c']);
    expect(messages.map(({ advances }) => advances.length)).toEqual([4]);
    const types = messages[0]?.advances.map(({ commands }) => commands.map(({ type }) => type));
    expect(types).toEqual([['schedule_step'], ['schedule_step'], ['schedule_step'], ['complete']]);
  });

  it('runs no step twice when a signal overtakes its turns', async () => {
    const letGo = hold();
    const id = await begin(server, 'ahead-overtaken');
    await untilSent();
    expect(messages[0]?.advances.length).toBeGreaterThan(1);
    expect((await ask(server, id, 'signals', { name: 'word', input: { said: 'now' } })).status).toBe(202);
    letGo();
    expect(await endOf(server, id)).toMatchObject({
      status: 'COMPLETED',
      result: ['first', 'second', { said: 'now' }],
    });
    expect(runs).toEqual(['first', 'second']);
    expect(await stepsOf(id)).toHaveLength(2);
  });

  it('aborts a step that the workflow does not ask for after all', async () => {
    const letGo = hold();
    const id = await begin(server, 'ahead-cancelled');
    await untilSent();
    const answer = await call(server, `/v1/workflows/executions/${id}/cancel`, { method: 'POST' });
    expect(answer.status).toBeLessThan(300);
    letGo();
    expect(await endOf(server, id)).toMatchObject({ status: 'CANCELED' });
    await expect.poll(() => abortions, { timeout: 15_000 }).toContain('after');
    expect(await stepsOf(id)).toHaveLength(1);
  });

  it('runs no step twice when the answer to its turn is lost', async () => {
    runs.length = 0;
    isAnswerLost = true;
    const id = await begin(server, 'ahead-once');
    expect(await endOf(server, id)).toMatchObject({ status: 'COMPLETED', result: ['quick', 'slow'] });
    expect(runs).toEqual(['quick', 'slow']);
    expect(isAnswerLost).toBe(false);
  });

  it('says later how long the steps took, and tells of their progress in order', async () => {
    answersMs = 150;
    const id = await begin(server, 'ahead-slow');
    expect(await endOf(server, id)).toMatchObject({ status: 'COMPLETED' });
    answersMs = 0;
    const events = (await listEvents(server, id)) as unknown as {
      event_type: string;
      event_timestamp: number;
      attributes: { task_id?: string };
    }[];
    const timeOf = (type: string, step: string) =>
      events.find(({ event_type, attributes }) => event_type === type && attributes.task_id === step)
        ?.event_timestamp ?? 0;
    const tookMicros = timeOf('ACTIVITY_TASK_COMPLETED', '2') - timeOf('ACTIVITY_TASK_STARTED', '2');
    expect(tookMicros).toBeGreaterThan(30_000);
    const times = events.map(({ event_timestamp }) => event_timestamp);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(events.slice(-5).map(({ event_type }) => event_type)).toEqual([
      'ACTIVITY_TASK_STARTED',
      'CUSTOM_TASK_STARTED',
      'CUSTOM_TASK_COMPLETED',
      'ACTIVITY_TASK_COMPLETED',
      'WORKFLOW_EXECUTION_COMPLETED',
    ]);
  });

  it('runs each step once, whatever comes between, as long as nobody dies', async () => {
    runs.length = 0;
    answersMs = 4;
    const ids = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const id = await begin(server, 'ahead-disturbed', { id: `e${n}` });
        for (const word of ['a', 'b', 'c']) {
          await pause((n * 7) % 5);
          expect((await ask(server, id, 'signals', { name: 'word', input: { word } })).status).toBe(202);
        }
        return id;
      }),
    );
    for (const id of ids) {
      expect(await endOf(server, id)).toMatchObject({ status: 'COMPLETED', result: 3 });
      expect(await stepsOf(id)).toHaveLength(9);
    }
    answersMs = 0;
    const expected = ids.flatMap((_, n) => [
      ...['a', 'b', 'c'].map((word) => `e${n}/heard-${word}`),
      ...Array.from({ length: 6 }, (_step, step) => `e${n}/step-${step}`),
    ]);
    expect([...runs].sort()).toEqual(expected.sort());
  });
});
