import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineWorkflow } from '../define-workflow.ts';
import type { Json, JsonPatchOp } from '../protocol.ts';
import { diffJson } from './json-patch.ts';
import { MemoryRun, replayHistory } from './memory-run-for-tests.ts';

/** Applies the operations as a reader of the stream does. */
function apply(state: Json, ops: JsonPatchOp[]): Json {
  let root = JSON.parse(JSON.stringify(state)) as Json;
  for (const op of ops) {
    const keys = op.path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop();
    if (last === undefined) {
      root = op.op === 'append' ? String(root) + String(op.value) : op.op === 'remove' ? null : op.value;
      continue;
    }
    // biome-ignore lint/suspicious/noExplicitAny: a walk through JSON of any shape.
    const place = keys.reduce((at: any, key) => at[key], root) as any;
    if (op.op === 'remove') Array.isArray(place) ? place.splice(Number(last), 1) : delete place[last];
    else if (op.op === 'append') place[last] += op.value;
    else if (Array.isArray(place) && op.op === 'add')
      last === '-' ? place.push(op.value) : place.splice(Number(last), 0, op.value);
    else Object.defineProperty(place, last, { value: op.value, enumerable: true, configurable: true, writable: true });
  }
  return root;
}

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

describe('differences of states', () => {
  it('turn any state into any other', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(apply(before, diffJson(before, after))).toEqual(after);
      }),
    );
  });

  it('are nothing where nothing changed', () => {
    fc.assert(
      fc.property(json, (state) => {
        expect(diffJson(state, structuredClone(state))).toEqual([]);
      }),
    );
  });

  it('of a text that grew are what it grew by', () => {
    expect(diffJson({ text: 'Hel', 'a/b~c': [1] }, { text: 'Hello', 'a/b~c': [1, 2] })).toEqual([
      { op: 'append', path: '/text', value: 'lo' },
      { op: 'add', path: '/a~1b~0c/-', value: 2 },
    ]);
  });
});

describe('a progress task', () => {
  const counting = defineWorkflow('counting', {}, async (ctx) => {
    await ctx.task('progress', { done: 0, log: '' }, async (task) => {
      task.update({ done: 1, log: 'one' });
      task.update((state) => {
        // Mutated in place, as users do.
        state.done = 2;
        return state;
      });
      task.update(task.state);
    });
    const failing = ctx.task('upload', [] as Json[]);
    failing.fail(new Error('no space'));
    failing.update([1]);
  });

  it('is emitted whole at its start, then as differences, and ends once', async () => {
    const run = new MemoryRun(counting);
    await run.turn();
    expect(
      run.emitted.map(({ event_type, payload, failure }) => [event_type, payload?.value ?? failure?.message]),
    ).toEqual([
      ['CUSTOM_TASK_STARTED', { done: 0, log: '' }],
      [
        'CUSTOM_TASK_IN_PROGRESS',
        [
          { op: 'replace', path: '/done', value: 1 },
          { op: 'replace', path: '/log', value: 'one' },
        ],
      ],
      ['CUSTOM_TASK_IN_PROGRESS', [{ op: 'replace', path: '/done', value: 2 }]],
      ['CUSTOM_TASK_COMPLETED', { done: 2, log: 'one' }],
      ['CUSTOM_TASK_STARTED', []],
      ['CUSTOM_TASK_FAILED', 'no space'],
    ]);
    expect(new Set(run.emitted.map(({ custom_task_id }) => custom_task_id)).size).toBe(2);
  });

  it('is not emitted again when the run is replayed', async () => {
    const patient = defineWorkflow('patient-task', {}, async (ctx) => {
      const task = ctx.task('progress', 0);
      await ctx.sleep(1);
      task.complete(1);
    });
    const run = new MemoryRun(patient);
    await run.turn();
    await run.fireTimer(1).forget().turn();
    expect(run.emitted.map(({ event_type }) => event_type)).toEqual(['CUSTOM_TASK_STARTED', 'CUSTOM_TASK_COMPLETED']);
    expect(new Set(run.emitted.map(({ custom_task_id }) => custom_task_id)).size).toBe(1);
  });
});

describe('waitForInput', () => {
  const asking = defineWorkflow('asking', {}, async (ctx) => {
    const { approved } = await ctx.waitForInput(z.object({ approved: z.boolean() }), 'May I?', { timeoutMs: 9000 });
    return approved;
  });
  const pendingOf = (run: MemoryRun) =>
    (run.replay.execution.handlers.query('__get_pending_inputs', null) as { pending_inputs: { task_id: string }[] })
      .pending_inputs;

  async function asked() {
    const run = new MemoryRun(asking);
    const commands = await run.turn();
    return { run, commands, task_id: pendingOf(run)[0]?.task_id ?? '' };
  }

  it('shows the question in an event, a query and a search key', async () => {
    const { run, commands, task_id } = await asked();
    expect(commands.filter(({ type }) => type === 'upsert_search_keys')).toEqual([
      { type: 'upsert_search_keys', keys: { 'internal.execution.state': 'waiting_for_input' } },
    ]);
    expect(pendingOf(run)).toMatchObject([
      { task_id, label: 'May I?', input_schema: { type: 'object', required: ['approved'] } },
    ]);
    expect(run.emitted).toMatchObject([
      {
        event_type: 'CUSTOM_TASK_STARTED',
        custom_task_type: 'wait_for_input',
        custom_task_id: task_id,
        payload: { value: { label: 'May I?' } },
      },
    ]);
  });

  it('takes the answer, and emits its completion', async () => {
    const { run, task_id } = await asked();
    const commands = await run
      .update('u', '__submit_input', { task_id, input: { approved: true } })
      .forget()
      .turn();
    expect(commands.filter(({ type }) => type !== 'emit')).toEqual([
      { type: 'complete_update', update_id: 'u', result: {} },
      { type: 'cancel_timer', seq: 1 },
      { type: 'upsert_search_keys', keys: { 'internal.execution.state': null } },
      { type: 'complete', result: true },
    ]);
    expect(run.emitted.at(-1)).toMatchObject({
      event_type: 'CUSTOM_TASK_COMPLETED',
      payload: { value: { approved: true } },
    });
    expect((await replayHistory(asking, run.history)).failure).toBeUndefined();
  });

  it('refuses an answer that does not fit, or to an unknown question, and goes on waiting', async () => {
    const { run, task_id } = await asked();
    run.update('a', '__submit_input', { task_id, input: { approved: 'yes' } });
    run.update('b', '__submit_input', { task_id: 'other', input: {} });
    expect(await run.turn()).toMatchObject([
      { update_id: 'a', failure: { non_retryable: true, message: expect.stringContaining('approved: ') } },
      { update_id: 'b', failure: { non_retryable: true, message: expect.stringContaining('Nothing waits') } },
    ]);
    expect(pendingOf(run)).toHaveLength(1);
  });

  it('gives up without an answer in time, or when it is cancelled', async () => {
    const late = (await asked()).run;
    expect((await late.fireTimer(1).turn()).at(-1)).toMatchObject({ type: 'fail', failure: { type: 'TimedOut' } });
    expect(late.emitted.at(-1)).toMatchObject({ event_type: 'CUSTOM_TASK_TIMED_OUT' });
    const cancelled = (await asked()).run;
    expect((await cancelled.cancel('no need').turn()).at(-1)).toEqual({ type: 'cancelled', reason: 'no need' });
    expect(cancelled.emitted.at(-1)).toMatchObject({ event_type: 'CUSTOM_TASK_CANCELED', reason: 'no need' });
  });
});
