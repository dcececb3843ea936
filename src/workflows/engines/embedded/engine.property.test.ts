import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../../test/support/databases.ts';
import { rounds } from '../../../../test/support/rounds.ts';
import type { Database } from '../../../kit/db/index.ts';
import { startOf, WORKSPACE } from '../port/start-for-tests.ts';
import { scene } from './engine-for-tests.ts';
import { LEASE_MS } from './limits.ts';
import { type Code, createTestWorker, Failed } from './worker-for-tests.ts';

const TICK_MS = 1000;
const LIFE_TICKS = 5;

/**
 * A workflow that writes down what happens to it: signals, ticks of a timer, its cancellation. It ends after some ticks,
 * or at once when it is cancelled, after a step of cleaning up.
 */
const code: Code = {
  steps: { note: ([text]) => text ?? null },
  workflows: {
    diary: async (ctx) => {
      const pages: unknown[] = [];
      let isCancelled = false;
      const cancelled = ctx.cancelled().then(() => {
        isCancelled = true;
      });
      const listen = async (): Promise<void> => {
        for (;;) {
          const text = await ctx.signal('write');
          pages.push(text);
        }
      };
      void listen();
      for (let tick = 1; tick <= LIFE_TICKS && !isCancelled; tick++) {
        const timer = ctx.sleep(TICK_MS);
        await Promise.race([timer, cancelled]);
        if (isCancelled) timer.cancel();
        else pages.push(`tick ${tick}`);
      }
      await ctx.step('note', ['cleaned up']);
      if (isCancelled) throw new Failed({ message: 'cancelled', type: 'Cancelled' });
      return pages as string[];
    },
  },
};

type Action =
  | { do: 'signal'; text: string }
  | { do: 'pass'; ms: number }
  | { do: 'cancel' | 'terminate' | 'work' | 'kill worker' };

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('signal' as const), text: fc.string({ maxLength: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 2500 }) }) },
  { weight: 4, arbitrary: fc.constant<Action>({ do: 'work' }) },
  { weight: 1, arbitrary: fc.constantFrom<Action>({ do: 'cancel' }, { do: 'terminate' }, { do: 'kill worker' }) },
);

/** What a client is told and may rely on: every signal that was taken is read once, in its order. */
type Model = { signals: string[]; isCancelled: boolean; isTerminated: boolean };

onEachDatabase('any order of signals, timers, cancels and lost workers', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database?.close());

  it('comes out as the simple model says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (actions) => {
        const at = await scene(database, code);
        const model: Model = { signals: [], isCancelled: false, isTerminated: false };
        const { executionId, runId } = await at.engine.start(startOf('diary'));
        const target = { workspaceId: WORKSPACE, executionId };
        let lives = 0;
        const newWorker = () =>
          createTestWorker({ port: at.workers, workspaceId: WORKSPACE, code, now: at.now, name: `life-${++lives}` });
        let worker = newWorker();
        const settle = async () => {
          // What was done is offered on when it is durable.
          do await at.idle();
          while ((await worker.work()) + (await at.runDue()) > 0);
        };
        // A signal that is refused was not taken, which only an execution that has ended may do.
        const unlessEnded = async (act: Promise<void>): Promise<boolean> => {
          try {
            await act;
            return true;
          } catch (error) {
            expect(error).toMatchObject({ wireCode: 'WF_1102' });
            expect((await at.look(executionId)).endedAt).not.toBeNull();
            return false;
          }
        };
        for (const step of actions) {
          if (step.do === 'signal') {
            if (await unlessEnded(at.engine.signal(target, 'write', step.text))) model.signals.push(step.text);
          } else if (step.do === 'pass') {
            at.clock.ms += step.ms;
            await at.runDue();
          } else if (step.do === 'work') await worker.work();
          else if (step.do === 'kill worker') worker = newWorker();
          else if (step.do === 'cancel') model.isCancelled ||= await unlessEnded(at.engine.cancel(target));
          else model.isTerminated ||= await unlessEnded(at.engine.terminate(target));
        }
        for (let i = 0; i < LIFE_TICKS + 2; i++) {
          await settle();
          at.clock.ms += Math.max(TICK_MS, LEASE_MS);
        }
        await settle();
        const { status, result } = await at.look(executionId);
        const types = await at.types(runId);
        expect(types.filter((type) => /^WORKFLOW_EXECUTION_(COMPLETED|CANCELED|TERMINATED)$/.test(type))).toHaveLength(
          1,
        );
        expect(types.filter((type) => type === 'WORKFLOW_EXECUTION_SIGNALED')).toHaveLength(model.signals.length);
        if (model.isTerminated) expect(status).toBe('TERMINATED');
        // It may have been at its end when the cancellation came: then it had done all its ticks.
        else if (status === 'CANCELED') expect(model.isCancelled).toBe(true);
        else {
          expect(status).toBe('COMPLETED');
          const pages = result as string[];
          const ticks = Array.from({ length: LIFE_TICKS }, (_, i) => `tick ${i + 1}`);
          expect(pages.filter((page) => ticks.includes(page))).toEqual(ticks);
          expect(pages.filter((page) => !ticks.includes(page))).toEqual(model.signals);
        }
        await at.events.stop();
      }),
      { numRuns: test.kind === 'sqlite' ? rounds(12, 500) : rounds(4, 100) },
    );
  });
});
