import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineStep } from '../define-step.ts';
import { defineWorkflow } from '../define-workflow.ts';
import type { AnyWorkflow } from '../definitions.ts';
import type { Command } from '../protocol.ts';
import { MemoryRun, replayHistory } from './memory-run-for-tests.ts';

const work = defineStep('work', async (what: unknown) => what);
const tidy = defineStep('tidy', async () => undefined);

const types = (commands: Command[]) => commands.map(({ type }) => type);
const resultOf = (run: MemoryRun) => run.history.at(-1)?.attributes.result;

/** Whatever a run did, replaying its history gives the same. */
async function expectReadable(workflow: AnyWorkflow, run: MemoryRun): Promise<void> {
  expect((await replayHistory(workflow, run.history)).failure).toBeUndefined();
}

describe('steps', () => {
  const many = defineWorkflow('many', {}, async (ctx) => {
    const [a, b, c] = await Promise.all([ctx.step(work, 'a'), ctx.step(work, 'b'), ctx.step(work, 'c')]);
    return [a, b, c];
  });

  it('run side by side, and their results find their places in any order', async () => {
    const run = new MemoryRun(many);
    expect(types(await run.turn())).toEqual(['schedule_step', 'schedule_step', 'schedule_step']);
    expect(await run.completeStep(3, 'C').completeStep(1, 'A').turn()).toEqual([]);
    await run.completeStep(2, 'B').forget().turn();
    expect(resultOf(run)).toEqual(['A', 'B', 'C']);
    await expectReadable(many, run);
  });

  it('that fail for good throw what they failed with', async () => {
    const careful = defineWorkflow('careful', {}, async (ctx) => {
      try {
        return await ctx.step(work, 1);
      } catch (error) {
        return { name: (error as Error).name, message: (error as Error).message };
      }
    });
    const run = new MemoryRun(careful);
    await run.turn();
    await run.failStep(1, { message: 'no money', type: 'Declined' }).turn();
    expect(resultOf(run)).toEqual({ name: 'StepFailed', message: 'The step "work" failed after 3 attempts: no money' });
  });

  it('take what was meant when they were called, whatever becomes of the object', async () => {
    const hasty = defineWorkflow('hasty', {}, async (ctx) => {
      const list = [1];
      const done = ctx.step(work, list);
      list.push(2);
      await done;
    });
    expect(await new MemoryRun(hasty).turn()).toMatchObject([{ input: [[1]] }]);
  });

  it('may be given other settings for one call, and keep the rest of theirs', async () => {
    const slow = defineStep('slow', { timeoutMs: 7000, retry: { maxAttempts: 9 } }, async () => 1);
    const patient = defineWorkflow('patient', {}, (ctx) => ctx.step(slow, undefined, { timeoutMs: 9000 }));
    expect(await new MemoryRun(patient).turn()).toMatchObject([
      { options: { timeout_ms: 9000, retry: { max_attempts: 9 } } },
    ]);
  });
});

describe('an uncaught error', () => {
  it('fails the execution with its words and its name', async () => {
    const broken = defineWorkflow('broken', {}, async () => {
      throw new RangeError('too much');
    });
    expect(await new MemoryRun(broken).turn()).toMatchObject([
      { type: 'fail', failure: { message: 'too much', type: 'RangeError' } },
    ]);
  });

  it('fails it as well when the input does not fit', async () => {
    const strict = defineWorkflow('strict', { input: z.object({ n: z.number() }) }, async (_ctx, { n }) => n);
    const [command] = await new MemoryRun(strict, { n: 'one' }).turn();
    expect(command).toMatchObject({ type: 'fail', failure: { type: 'InvalidPayload' } });
    expect(JSON.stringify(command)).toContain('The input of the workflow \\"strict\\" does not fit its schema: n: ');
  });

  it('or the result, by a JSON Schema as by Zod', async () => {
    const output = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };
    const wrong = defineWorkflow('wrong', { output }, async () => ({ n: 'one' }));
    expect(await new MemoryRun(wrong).turn()).toMatchObject([
      {
        type: 'fail',
        failure: { message: 'The result of the workflow "wrong" does not fit its schema: n: must be number' },
      },
    ]);
  });
});

describe('waitFor', () => {
  const approval = defineWorkflow('approval', { signals: { approve: z.object({ by: z.string() }) } }, async (ctx) => {
    let by = '';
    ctx.onSignal('approve', (signal) => {
      by = signal.by;
    });
    const isApproved = await ctx.waitFor(() => by !== '', { timeoutMs: 5000 });
    return isApproved ? by : 'nobody';
  });

  it('goes on when the condition holds, and takes its timer back', async () => {
    const run = new MemoryRun(approval);
    expect(types(await run.turn())).toEqual(['start_timer']);
    expect(types(await run.signal('approve', { by: 'ann' }).forget().turn())).toEqual(['cancel_timer', 'complete']);
    expect(resultOf(run)).toBe('ann');
    await expectReadable(approval, run);
  });

  it('goes on without it when the time is over', async () => {
    const run = new MemoryRun(approval);
    await run.turn();
    await run.fireTimer(1).turn();
    expect(resultOf(run)).toBe('nobody');
  });

  it('passes over a signal that does not fit its schema', async () => {
    const run = new MemoryRun(approval);
    await run.turn();
    expect(await run.signal('approve', { buy: 'ann' }).turn()).toEqual([]);
  });
});

describe('receive', () => {
  const inbox = defineWorkflow('inbox', { signals: { mail: z.string() } }, async (ctx) => {
    const first = await ctx.receive('mail');
    const second = await ctx.receive('mail', { timeoutMs: 1000 });
    return [first, second, (await ctx.receive('mail', { timeoutMs: 1000 })) ?? 'none'];
  });

  it('takes signals in their order, those that came early first', async () => {
    const run = new MemoryRun(inbox).signal('mail', 'a').signal('mail', 'b');
    const commands = await run.turn();
    expect(types(commands)).toEqual(['start_timer', 'cancel_timer', 'start_timer']);
    await run.fireTimer(2).forget().turn();
    expect(resultOf(run)).toEqual(['a', 'b', 'none']);
    await expectReadable(inbox, run);
  });
});

describe('updates and queries', () => {
  const counter = defineWorkflow(
    'counter',
    {
      queries: { total: { output: z.number() } },
      updates: { add: { input: z.number(), output: z.number() }, late: { input: z.number() } },
    },
    async (ctx) => {
      let total = 0;
      ctx.onQuery('total', () => total);
      ctx.onUpdate('add', async (amount) => {
        if (amount < 0) throw new RangeError('only up');
        await ctx.step(work, amount);
        total += amount;
        return total;
      });
      await ctx.waitFor(() => total >= 5);
      ctx.onUpdate('late', () => 'heard');
      await ctx.sleep(1);
    },
  );

  it('an update may run steps and is answered when they are done', async () => {
    const run = new MemoryRun(counter);
    await run.turn();
    expect(types(await run.update('u1', 'add', 2).turn())).toEqual(['schedule_step']);
    expect(await run.completeStep(1, 2).forget().turn()).toEqual([
      { type: 'complete_update', update_id: 'u1', result: 2 },
    ]);
    expect(run.replay.execution.handlers.query('total', null)).toBe(2);
    await expectReadable(counter, run);
  });

  it('an update that fails, does not fit or is unknown is answered so, and the run goes on', async () => {
    const run = new MemoryRun(counter);
    await run.turn();
    const answers = await run.update('u1', 'add', -1).update('u2', 'add', 'x').update('u3', 'gone').turn();
    const failures = answers.map(
      (answer) => (answer as Extract<Command, { type: 'complete_update' }>).failure?.message,
    );
    expect(failures).toEqual(
      [
        'The workflow has no update "gone".',
        'only up',
        expect.stringContaining('The input of the update "add" does not fit its schema'),
      ].toSorted((a, b) => failures.indexOf(String(a)) - failures.indexOf(String(b))),
    );
    expect(failures.toSorted()).toHaveLength(3);
    await expectReadable(counter, run);
  });

  it('an update that was declared waits for its handler', async () => {
    const run = new MemoryRun(counter);
    await run.turn();
    expect(await run.update('u1', 'late', 1).turn()).toEqual([]);
    await run.update('u2', 'add', 5).turn();
    const commands = await run.completeStep(1, 5).turn();
    expect(commands.filter(({ type }) => type === 'complete_update')).toMatchObject([
      { update_id: 'u2', result: 5 },
      { update_id: 'u1', result: 'heard' },
    ]);
  });

  it('a query that waits, or that does not exist, is refused', async () => {
    const lazy = defineWorkflow('lazy', { queries: { slow: {} } }, async (ctx) => {
      ctx.onQuery('slow', async () => 1);
      await ctx.sleep(1);
    });
    const run = new MemoryRun(lazy);
    await run.turn();
    const { handlers } = run.replay.execution;
    expect(() => handlers.query('slow', null)).toThrow('a query only reads what is there');
    expect(() => handlers.query('none', null)).toThrow('has no query "none"');
  });
});

describe('children and other executions', () => {
  const parent = defineWorkflow('parent', {}, async (ctx) => {
    const started = await ctx.startChild('side', { n: 1 });
    const result = await ctx.child('main', { n: 2 }, { executionId: 'mine', parentClosePolicy: 'request_cancel' });
    await ctx.signal(started.executionId, 'done', result);
    return [started, result];
  });

  it('are started, waited for and signalled', async () => {
    const run = new MemoryRun(parent);
    expect(await run.turn()).toMatchObject([{ type: 'start_child', wait: false, parent_close_policy: 'abandon' }]);
    run.append('CHILD_WORKFLOW_EXECUTION_STARTED', {
      initiated_event_id: run.eventOf(1),
      execution_id: 'e',
      run_id: 'r',
    });
    expect(await run.turn()).toMatchObject([
      { type: 'start_child', wait: true, execution_id: 'mine', parent_close_policy: 'request_cancel' },
    ]);
    run.append('CHILD_WORKFLOW_EXECUTION_STARTED', {
      initiated_event_id: run.eventOf(2),
      execution_id: 'mine',
      run_id: 'r2',
    });
    expect(await run.turn()).toEqual([]);
    run.append('CHILD_WORKFLOW_EXECUTION_COMPLETED', { initiated_event_id: run.eventOf(2), result: 'well' });
    expect(await run.turn()).toMatchObject([
      { type: 'signal_execution', execution_id: 'e', name: 'done', input: 'well' },
    ]);
    run.append('EXTERNAL_WORKFLOW_EXECUTION_SIGNALED', { initiated_event_id: run.eventOf(3) });
    await run.forget().turn();
    expect(resultOf(run)).toEqual([{ executionId: 'e', runId: 'r' }, 'well']);
    await expectReadable(parent, run);
  });

  it.each([
    ['CHILD_WORKFLOW_EXECUTION_FAILED', 'The child workflow "main" failed: broken'],
    ['CHILD_WORKFLOW_EXECUTION_CANCELED', 'The child workflow "main" failed: it was cancelled'],
    ['CHILD_WORKFLOW_EXECUTION_TERMINATED', 'The child workflow "main" failed: it was terminated'],
    ['CHILD_WORKFLOW_EXECUTION_TIMED_OUT', 'The child workflow "main" failed: it ran out of time'],
    ['START_CHILD_WORKFLOW_EXECUTION_FAILED', 'The child workflow "main" failed: broken'],
  ] as const)('%s is thrown', async (type, message) => {
    const run = new MemoryRun(defineWorkflow(`waits-${type}`, {}, (ctx) => ctx.child('main', null)));
    await run.turn();
    const failure = /CANCELED|TERMINATED|TIMED/.test(type) ? {} : { failure: { message: 'broken' } };
    run.append(type, { initiated_event_id: run.eventOf(1), ...failure });
    expect(await run.turn()).toMatchObject([{ type: 'fail', failure: { message, type: 'ChildFailed' } }]);
  });
});

describe('cancellation', () => {
  const booking = defineWorkflow('booking', {}, async (ctx) => {
    try {
      await Promise.all([ctx.step(work, 1), ctx.sleep(60_000)]);
    } finally {
      await ctx.nonCancellable(() => ctx.step(tidy));
    }
  });

  it('reaches everything that waits, lets the clean-up run, and ends as cancelled', async () => {
    const run = new MemoryRun(booking);
    await run.turn();
    expect(types(await run.cancel('no more').turn())).toEqual(['cancel_step', 'cancel_timer', 'schedule_step']);
    expect(await run.completeStep(3, null).forget().turn()).toEqual([{ type: 'cancelled', reason: 'no more' }]);
    await expectReadable(booking, run);
  });

  it('refuses to begin anything new outside the clean-up', async () => {
    const stubborn = defineWorkflow('stubborn', {}, async (ctx) => {
      await ctx.sleep(1000).catch(() => undefined);
      return ctx.step(work, 'again');
    });
    const run = new MemoryRun(stubborn);
    await run.turn();
    expect(types(await run.cancel().turn())).toEqual(['cancel_timer', 'cancelled']);
  });

  it('may be ignored: what the code returns then counts', async () => {
    const calm = defineWorkflow('calm', {}, async (ctx) => {
      await ctx.sleep(1000).catch(() => undefined);
      return ctx.isCancelled;
    });
    const run = new MemoryRun(calm);
    await run.turn();
    expect((await run.cancel().turn()).at(-1)).toEqual({ type: 'complete', result: true });
  });

  it('of a scope leaves the rest alone', async () => {
    const picky = defineWorkflow('picky', { signals: { stop: {} } }, async (ctx) => {
      const part = ctx.cancellable(async (cancel) => {
        ctx.onSignal('stop', () => cancel('enough'));
        await ctx.step(work, 'inside');
        return 'done';
      });
      const said = part.catch((error: Error) => error.message);
      return [await ctx.step(work, 'outside'), await said];
    });
    const run = new MemoryRun(picky);
    await run.turn();
    expect(types(await run.signal('stop').turn())).toEqual(['cancel_step']);
    await run.completeStep(2, 'kept').forget().turn();
    expect(resultOf(run)).toEqual(['kept', 'enough']);
    await expectReadable(picky, run);
  });

  it('by a time limit throws that the time is over', async () => {
    const timed = defineWorkflow('timed', {}, async (ctx) => {
      try {
        return await ctx.withTimeout(1000, () => ctx.step(work, 1));
      } catch (error) {
        return (error as Error).name;
      }
    });
    const late = new MemoryRun(timed);
    await late.turn();
    expect(types(await late.fireTimer(1).turn())).toEqual(['cancel_step', 'complete']);
    expect(resultOf(late)).toBe('TimedOut');
    await expectReadable(timed, late);
    const early = new MemoryRun(timed);
    await early.turn();
    expect(types(await early.completeStep(2, 'quick').turn())).toEqual(['cancel_timer', 'complete']);
  });
});

describe('continueAsNew', () => {
  it('ends the run with the input of the next', async () => {
    const loop = defineWorkflow('loop', { input: z.object({ n: z.number() }) }, async (ctx, { n }) => {
      if (n < 3) ctx.continueAsNew({ n: n + 1 });
      return n;
    });
    expect(await new MemoryRun(loop, { n: 1 }).turn()).toEqual([{ type: 'continue_as_new', input: { n: 2 } }]);
    expect(await new MemoryRun(loop, { n: 3 }).turn()).toEqual([{ type: 'complete', result: 3 }]);
  });
});
