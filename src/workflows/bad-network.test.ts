import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { type Fate, startFlakyProxy } from './flaky-proxy-for-tests.ts';
import { ask, begin, defineStep, defineWorkflow, endOf, workFor } from './work-for-tests.ts';

const count = defineStep('count-on', async (n: number) => n + 1);
/** Longer than a message takes, so that its result has one of its own. */
const countSlowly = defineStep('count-slowly', async (n: number) => {
  await pause(20);
  return n + 1;
});
const four = defineWorkflow('four', {}, async (ctx) => {
  let n = 0;
  for (const step of [count, countSlowly, count, countSlowly]) n = await ctx.step(step, n);
  return n;
});
const hearing = defineWorkflow('hearing', { signals: { word: {} } }, async (ctx) => {
  const words: unknown[] = [];
  while (words.length < 5) words.push(await ctx.receive('word'));
  return words;
});

type Event = { type: string; attributes: { scheduled_event_id?: number } };

async function completionsOf(server: TestServer, id: string): Promise<number[]> {
  const { body } = await call(server, `/v1/workflows/executions/${id}`);
  const { run_id } = body as { run_id: string };
  const page = await call(server, `/v1/workflows/workers/history?run_id=${run_id}`);
  const events = (page.body as { events: Event[] }).events;
  return events
    .filter(({ type }) => type === 'ACTIVITY_TASK_COMPLETED')
    .map(({ attributes }) => attributes.scheduled_event_id ?? 0);
}

describe('a worker on a network that loses things', () => {
  it('brings every execution to its end, and each step has one result', async () => {
    const server = await startTestServer(sqliteForTests());
    const fates: Fate[] = ['passes', 'passes', 'request lost', 'passes', 'answer lost', 'passes', 'refused with 503'];
    let asked = 0;
    // A poll whose answer is lost costs the time of a lease, which the engine's own tests wait for.
    const fateOf = (path: string): Fate => {
      const fate = fates[asked++ % fates.length] ?? 'passes';
      return fate === 'answer lost' && path.endsWith('/poll') ? 'request lost' : fate;
    };
    const url = await startFlakyProxy(server.url, fateOf);
    await workFor(server, [four], [count, countSlowly], { url });
    const beginLater = async (n: number) => {
      await pause(n * 10);
      return begin(server, 'four');
    };
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => beginLater(n)));
    for (const id of ids) {
      expect(await endOf(server, id)).toMatchObject({ status: 'COMPLETED', result: 4 });
      const completions = await completionsOf(server, id);
      expect(completions).toHaveLength(4);
      expect(new Set(completions).size).toBe(4);
    }
    expect(asked).toBeGreaterThan(fates.length);
  });

  it('goes on by itself when the server was away', async () => {
    const server = await startTestServer(sqliteForTests());
    let isAway = false;
    const url = await startFlakyProxy(server.url, () => (isAway ? 'request lost' : 'passes'));
    await workFor(server, [hearing], [], { url });
    const id = await begin(server, 'hearing');
    isAway = true;
    for (const word of [1, 2, 3]) await ask(server, id, 'signals', { name: 'word', input: { word } });
    isAway = false;
    for (const word of [4, 5]) await ask(server, id, 'signals', { name: 'word', input: { word } });
    const { result } = (await endOf(server, id)) as { result: { word: number }[] };
    expect(result.map(({ word }) => word)).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('two workers', () => {
  it('with other code each: the newer takes over what the older began, and patched() keeps both ways apart', async () => {
    const server = await startTestServer(sqliteForTests());
    const old = {
      ...defineWorkflow('changing-1', { signals: { go: {} } }, async (ctx) => {
        await ctx.receive('go');
        return ['old', await ctx.step(count, 1)];
      }),
      name: 'changing',
    };
    const young = {
      ...defineWorkflow('changing-2', { signals: { go: {} } }, async (ctx) => {
        const isNew = ctx.patched('count-first');
        const first = isNew ? await ctx.step(count, 10) : 0;
        await ctx.receive('go');
        return [isNew ? 'new' : 'old', isNew ? first : await ctx.step(count, 1)];
      }),
      name: 'changing',
    };
    const first = await workFor(server, [old], [count], { name: 'older' });
    const before = await begin(server, 'changing');
    await expect.poll(() => first.status().cached, { timeout: 20_000, interval: 10 }).toBe(1);
    await first.stop();
    await workFor(server, [young], [count], { name: 'newer' });
    const after = await begin(server, 'changing');
    for (const id of [before, after]) await ask(server, id, 'signals', { name: 'go', input: {} });
    expect(await endOf(server, before)).toMatchObject({ status: 'COMPLETED', result: ['old', 2] });
    expect(await endOf(server, after)).toMatchObject({ status: 'COMPLETED', result: ['new', 11] });
  });

  it('without patched() the execution fails with a sentence that names the step', async () => {
    const server = await startTestServer(sqliteForTests());
    const other = defineStep('other-step', async () => 1);
    const make = (name: string, step: typeof count | typeof other) => ({
      ...defineWorkflow(name, { signals: { go: {} } }, async (ctx) => {
        await ctx.step(step as typeof count, 1);
        await ctx.receive('go');
      }),
      name: 'careless',
    });
    const first = await workFor(server, [make('careless-1', count)], [count]);
    const id = await begin(server, 'careless');
    await expect.poll(async () => (await completionsOf(server, id)).length, { timeout: 20_000, interval: 20 }).toBe(1);
    await first.stop();
    await workFor(server, [make('careless-2', other)], [count, other]);
    await ask(server, id, 'signals', { name: 'go', input: {} });
    expect(await endOf(server, id)).toMatchObject({ status: 'FAILED' });
    const { text } = await call(server, `/v1/workflows/events/list?workflow_exec_id=${id}`);
    expect(text).toContain(
      'the history has step \\"count-on\\" (command 1), but the code asked for step \\"other-step\\"',
    );
  });
});
