import { describe, expect, it } from 'vitest';
import { defineStep } from '../define-step.ts';
import { defineWorkflow } from '../define-workflow.ts';
import type { AnyWorkflow, WorkflowContext } from '../definitions.ts';
import { MemoryRun, replayHistory } from './memory-run-for-tests.ts';

const charge = defineStep('charge', async (amount: number) => amount);
const refund = defineStep('refund', async (amount: number) => amount);
const other = defineWorkflow('other', {}, async () => 1);

let versions = 0;
/** The same workflow with other code, as in a new version of a project. */
function version(run: (ctx: WorkflowContext) => Promise<unknown>): AnyWorkflow {
  return { ...defineWorkflow(`versioned-${++versions}`, {}, run), name: 'versioned' };
}

async function recordedBy(workflow: AnyWorkflow, ...happens: ((run: MemoryRun) => void)[]): Promise<MemoryRun> {
  const run = new MemoryRun(workflow);
  await run.turn();
  for (const happen of happens) {
    happen(run);
    await run.turn();
  }
  return run;
}

describe('code that deviates from its history fails with an error that names the step', () => {
  const cases: [
    string,
    (ctx: WorkflowContext) => Promise<unknown>,
    (ctx: WorkflowContext) => Promise<unknown>,
    string,
  ][] = [
    [
      'another step',
      (ctx) => ctx.step(charge, 1),
      (ctx) => ctx.step(refund, 1),
      'at event 5 the history has step "charge" (command 1), but the code asked for step "refund" (command 1)',
    ],
    [
      'a timer instead of a step',
      (ctx) => ctx.step(charge, 1),
      (ctx) => ctx.sleep(5),
      'the history has step "charge" (command 1), but the code asked for a timer (command 1)',
    ],
    [
      'a step more',
      (ctx) => ctx.step(charge, 1),
      (ctx) => Promise.all([ctx.step(charge, 1), ctx.step(refund, 1)]),
      'the code asked for step "refund" (command 2), the history has nothing more there',
    ],
    [
      'a step less',
      (ctx) => Promise.all([ctx.step(charge, 1), ctx.step(refund, 1)]),
      (ctx) => ctx.step(charge, 1),
      'at event 6 the history has step "refund" (command 2), which the code did not ask for',
    ],
    [
      'an end instead of a step',
      (ctx) => ctx.step(charge, 1),
      async () => 'done',
      'the history has step "charge" (command 1), but the code asked for the end of the workflow',
    ],
    [
      'a step instead of an end',
      async () => 'done',
      (ctx) => ctx.step(charge, 1),
      'the history has WORKFLOW_EXECUTION_COMPLETED, but the code asked for step "charge" (command 1)',
    ],
    [
      'another child',
      (ctx) => ctx.child('first', null),
      (ctx) => ctx.child(other, null),
      'the history has child workflow "first" (command 1), but the code asked for child workflow "other" (command 1)',
    ],
    [
      'another signal',
      (ctx) => ctx.signal('them', 'hello'),
      (ctx) => ctx.signal('them', 'goodbye'),
      'the history has signal "hello" (command 1), but the code asked for signal "goodbye" to them (command 1)',
    ],
  ];

  it.each(cases)('%s', async (_title, before, after, words) => {
    const run = await recordedBy(version(before));
    const { failure } = await replayHistory(version(after), run.history);
    expect(failure?.message).toContain(words);
    expect(failure?.type).toBe('NotDeterministic');
  });

  it('another local step', async () => {
    const run = new MemoryRun(version((ctx) => ctx.local(charge, 1)));
    run.withLocals(async (open) => {
      const [seq] = open.keys();
      return seq === undefined ? undefined : { seq, details: { name: 'charge', result: 1 } };
    });
    await run.turn();
    expect(
      (
        await replayHistory(
          version((ctx) => ctx.local(charge, 1)),
          run.history,
        )
      ).failure,
    ).toBeUndefined();
    const { failure } = await replayHistory(
      version((ctx) => ctx.local(refund, 1)),
      run.history,
    );
    expect(failure?.message).toContain(
      'has local step "charge" (command 1), but the code asked for local step "refund"',
    );
  });

  it('a cancellation that is not asked for any more', async () => {
    const hear = (ctx: WorkflowContext) => {
      let isHeard = false;
      ctx.onSignal('any', () => {
        isHeard = true;
      });
      return () => isHeard;
    };
    const race = version((ctx) => ctx.waitFor(hear(ctx), { timeoutMs: 1000 }));
    const run = await recordedBy(race, (it) => it.signal('any'));
    expect(run.history.map(({ type }) => type)).toContain('TIMER_CANCELED');
    const forgetful = version(async (ctx) => {
      void ctx.sleep(1000);
      await ctx.waitFor(hear(ctx));
    });
    const { failure } = await replayHistory(forgetful, run.history);
    expect(failure?.message).toContain('the history has the cancellation of timer 1, but the code asked for the end');
  });
});

describe('code that waits for what no history records', () => {
  it('is refused when it goes on, and every later turn with it', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const run = new MemoryRun(
      version(async (ctx) => {
        ctx.onSignal('any', () => undefined);
        await gate;
        await ctx.step(charge, 1);
      }),
    );
    await run.turn();
    open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(run.outOfTurn?.message).toContain('waited for something that no history records');
    await expect(run.signal('any').turn()).rejects.toThrow('Put it into a step');
  });

  it('is refused when it holds up everything for more than two seconds', async () => {
    const run = new MemoryRun(
      version(async () => {
        const begin = performance.now();
        while (performance.now() - begin < 2050);
      }),
    );
    await expect(run.turn()).rejects.toThrow(/ran for 2\d{3} ms without waiting for anything/);
  });
});

describe('patched', () => {
  const before = version(async (ctx) => {
    await ctx.sleep(1000);
    return ctx.step(charge, 1);
  });
  const after = version(async (ctx) => {
    if (ctx.patched('refund-first')) await ctx.step(refund, 1);
    else await ctx.sleep(1000);
    return ctx.step(charge, 1);
  });

  it('leaves runs of the old code on the old way, to their end', async () => {
    const run = await recordedBy(before);
    const [charged] = await run.forget(after).fireTimer(1).turn();
    expect(charged).toMatchObject({ type: 'schedule_step', name: 'charge' });
    await run.completeStep(2, 1).forget().turn();
    expect((await replayHistory(after, run.history)).execution.hasEnded).toBe(true);
  });

  it('sends new runs the new way, also when they are read back', async () => {
    const run = await recordedBy(
      after,
      (it) => it.completeStep(1, 1),
      (it) => it.completeStep(2, 1),
    );
    expect(run.history.filter(({ type }) => type === 'MARKER_RECORDED')).toHaveLength(1);
    expect((await replayHistory(after, run.history)).failure).toBeUndefined();
    const { failure } = await replayHistory(before, run.history);
    expect(failure?.message).toContain('step "refund"');
  });

  it('can be taken out of the code once only new runs are left', async () => {
    const run = await recordedBy(
      after,
      (it) => it.completeStep(1, 1),
      (it) => it.completeStep(2, 1),
    );
    const later = version(async (ctx) => {
      await ctx.step(refund, 1);
      return ctx.step(charge, 1);
    });
    expect((await replayHistory(later, run.history)).failure).toBeUndefined();
  });

  it('gives one answer for a whole run, however often it is asked', async () => {
    const loop = (isPatched: boolean) =>
      version(async (ctx) => {
        for (let round = 0; round < 3; round++) {
          if (isPatched && ctx.patched('in-loop')) await ctx.step(refund, round);
          else await ctx.step(charge, round);
        }
      });
    const run = await recordedBy(loop(false), (it) => it.completeStep(1, 1));
    const [next] = await run.forget(loop(true)).completeStep(2, 1).turn();
    expect(next).toMatchObject({ name: 'charge' });
    expect((await replayHistory(loop(true), run.history)).failure).toBeUndefined();
  });
});

describe('the length of the history', () => {
  it('is the same on replay as in the turn itself', async () => {
    const measured = version(async (ctx) => {
      const lengths = [ctx.historyLength];
      for (let round = 0; round < 3; round++) {
        await ctx.step(charge, round);
        lengths.push(ctx.historyLength);
      }
      return lengths;
    });
    const run = await recordedBy(measured, (it) => it.completeStep(1, 1).signal('noise'));
    await run.completeStep(2, 1).turn();
    await run.completeStep(3, 1).turn();
    const told = run.history.at(-1)?.attributes.result;
    const again = await recordedBy(measured, (it) => it.completeStep(1, 1).signal('noise').forget());
    await again.completeStep(2, 1).forget().turn();
    await again.completeStep(3, 1).forget().turn();
    expect(again.history.at(-1)?.attributes.result).toEqual(told);
    expect(told).toEqual([0, 5, 12, 18]);
  });
});

describe('time and chance', () => {
  const lottery = version(async (ctx) => {
    const first = [ctx.now().toISOString(), ctx.random(), ctx.uuid()];
    await ctx.sleep(10);
    return [...first, ctx.now().toISOString(), ctx.random(), ctx.uuid()];
  });

  it('are the same each time the run is read, and others in another run', async () => {
    const [one, again, two] = await Promise.all(
      ['run-a', 'run-a', 'run-b'].map(async (id) => {
        const run = new MemoryRun(lottery, null, id);
        await run.turn();
        await run.fireTimer(1).forget().turn();
        return run.history.at(-1)?.attributes.result as string[];
      }),
    );
    expect(again).toEqual(one);
    expect(two?.[2]).not.toBe(one?.[2]);
    expect(one?.[2]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(new Date(one?.[3] ?? '').getTime()).toBeGreaterThan(new Date(one?.[0] ?? '').getTime());
  });

  it('stay the same when a reset copies the beginning into a run of another id', async () => {
    const run = new MemoryRun(lottery, null, 'run-a');
    await run.turn();
    await run.fireTimer(1).turn();
    const copied = new MemoryRun(lottery, null, 'run-z');
    copied.history.splice(0, 1, ...run.history.slice(0, 5));
    copied.nowMs += 1000;
    await copied.fireTimer(1).turn();
    expect(copied.history.at(-1)?.attributes.result).toEqual(run.history.at(-1)?.attributes.result);
  });
});
