import { readFile } from 'node:fs/promises';
import { setTimeout as later, setImmediate as soon } from 'node:timers';
import { z } from 'zod';
import { defineStep, defineWorkflow, type WorkflowContext } from '../../packages/workflows/src/index.ts';
import { startWorker } from '../../packages/workflows/src/worker/index.ts';

// A worker in a process of its own, started as the documentation says. Its workflows leave errors unhandled in every way.
const retry = false;
const fails = defineStep('fails', { retry }, async (words: string) => {
  throw new Error(words);
});
const slow = defineStep(
  'slow',
  async (ms: number) => new Promise<string>((resolve) => later(() => resolve('slow'), ms)),
);
const TOO_LATE = new Promise(() => undefined);
const lost = (words: string) => void Promise.reject(new Error(words));

const steps = [
  fails,
  slow,
  defineStep('leaves-promise', { retry }, async () => {
    lost('left in a step');
    return TOO_LATE;
  }),
  defineStep('leaves-timer', { retry }, async () => {
    later(() => {
      throw new Error('thrown in a timer of a step');
    }, 1);
    return TOO_LATE;
  }),
  defineStep('leaves-after-end', { retry }, async () => {
    later(() => lost('left after the step'), 20);
    return 'ended before';
  }),
  defineStep('leaves-in-abort', { retry }, async (_: null, { signal }) => {
    signal.addEventListener('abort', () => {
      throw new Error('thrown in a listener of the signal');
    });
    return TOO_LATE;
  }),
];
const step = (name: string) => steps.find((one) => one.name === name) as (typeof steps)[2];

const child = defineWorkflow('child-fails', {}, async (ctx) => ctx.step(fails, 'in a child'));
const childLeaves = defineWorkflow('child-leaves', {}, async () => {
  lost('left in a child');
});

const workflows: Record<string, (ctx: WorkflowContext) => Promise<unknown>> = {
  // The promises of the context are handled when they are made.
  'awaits-later': async (ctx) => {
    const a = ctx.step(slow, 300);
    const b = ctx.step(fails, 'earlier than it is awaited');
    try {
      await a;
      await b;
    } catch (error) {
      return (error as Error).message;
    }
  },
  'awaits-child-later': async (ctx) => {
    const a = ctx.child(child, null);
    await ctx.step(slow, 300);
    return a.catch((error: Error) => error.name);
  },
  'awaits-no-step': async (ctx) => {
    void ctx.step(fails, 'of no interest');
    await ctx.step(slow, 300);
    return 'done';
  },
  'awaits-no-child': async (ctx) => {
    void ctx.child(child, null);
    void ctx.child('no-such-workflow', null);
    void ctx.startChild('no-such-workflow', null);
    void ctx.signal('no-such-execution', 'x');
    await ctx.step(slow, 300);
    return 'done';
  },
  'awaits-nothing-else': async (ctx) => {
    void ctx.local(fails, 'locally');
    void ctx.withTimeout(50, () => ctx.sleep(1000));
    void ctx.cancellable(async (cancel) => {
      cancel();
      await ctx.sleep(1000);
    });
    void ctx.nonCancellable(() => ctx.step(fails, 'shielded'));
    void ctx.waitFor(() => {
      throw new Error('in a condition');
    });
    void ctx.waitForInput(z.object({}), 'unanswered', { timeoutMs: 50 });
    void ctx.task('progress', {}, async () => ctx.step(fails, 'in a task'));
    void ctx.callTool({ connector: 'none', tool: 'none', arguments: {} });
    void ctx.agent({ model: 'none', input: 'hello' });
    void ctx.chat({ model: 'none', messages: [] });
    await ctx.sleep(600);
    return 'done';
  },
  'awaits-all': async (ctx) => {
    try {
      await Promise.all([ctx.step(fails, 'one'), ctx.step(fails, 'two'), ctx.step(slow, 200)]);
    } catch {
      await ctx.step(slow, 300);
      return 'done';
    }
  },
  compensates: async (ctx) => {
    try {
      await ctx.step(fails, 'the first');
    } catch {
      const undone = ctx.nonCancellable(() => Promise.all([ctx.step(fails, 'undo'), ctx.step(fails, 'undo too')]));
      await ctx.step(slow, 300);
      return undone.catch(() => 'undone');
    } finally {
      void ctx.step(fails, 'in finally');
    }
  },
  'sleeps-in-background': async (ctx) => {
    void ctx.sleep(60_000);
    void (async () => {
      for (;;) await ctx.sleep(60_000);
    })();
    await ctx.sleep(60_000);
  },
  'runs-leaving-step': async (ctx) => ctx.step(step('leaves-promise')).catch(messageOf),
  'runs-throwing-step': async (ctx) => ctx.step(step('leaves-timer')).catch(messageOf),
  'runs-late-step': async (ctx) => ctx.step(step('leaves-after-end')),
  'runs-local-leaving-step': async (ctx) => ctx.local(step('leaves-promise')).catch(messageOf),
  'abandons-throwing-step': async (ctx) =>
    ctx.withTimeout(300, () => ctx.step(step('leaves-in-abort'))).catch(messageOf),
  'leaves-after-end': async () => {
    later(() => lost('left after the end'), 20);
    return 'done';
  },
  'asked-in-vain': async (ctx) => {
    ctx.onQuery('leaves', () => {
      lost('left in a query');
      return 'answered';
    });
    ctx.onQuery('waits', (async () => {
      throw new Error('thrown in a query');
    }) as () => unknown);
    ctx.onUpdate('go', async () => {
      void ctx.step(fails, 'left in an update');
      throw new Error('refused');
    });
    await ctx.receive('go');
    return 'done';
  },
  // Everything else fails the turn of its run.
  'leaves-promise': async () => {
    lost('bare');
    return 'done';
  },
  'leaves-text': async (ctx) => {
    void Promise.reject('no error at all');
    await ctx.sleep(60_000);
  },
  'leaves-all': async (ctx) => {
    void Promise.all([ctx.step(fails, 'first of all'), ctx.step(fails, 'second of all')]);
    await ctx.sleep(60_000);
  },
  'leaves-async': async (ctx) => {
    void (async () => {
      await ctx.step(slow, 50);
      throw new Error('in an async function');
    })();
    await ctx.sleep(60_000);
  },
  'leaves-in-finally': async (ctx) => {
    try {
      await ctx.step(slow, 50);
    } finally {
      lost('in finally');
    }
    await ctx.sleep(60_000);
  },
  'leaves-in-signal': async (ctx) => {
    ctx.onSignal('go', () => lost('in a signal'));
    await ctx.sleep(60_000);
  },
  'leaves-in-update': async (ctx) => {
    ctx.onUpdate('go', () => lost('in an update'));
    await ctx.sleep(60_000);
  },
  'leaves-in-child': async (ctx) => ctx.child(childLeaves, null),
  'throws-in-microtask': async (ctx) => {
    queueMicrotask(() => {
      throw new Error('in a microtask');
    });
    await ctx.sleep(60_000);
  },
  'throws-in-tick': async (ctx) => {
    process.nextTick(() => {
      throw new Error('in a tick');
    });
    await ctx.sleep(60_000);
  },
  // Between turns: the next one fails.
  'throws-in-timer': async (ctx) => {
    soon(() => {
      throw new Error('in an immediate');
    });
    void readFile('/no/such/file');
    await ctx.sleep(300);
    return 'done';
  },
};

const messageOf = (error: Error) => error.message;
const settings = { signals: { go: {} }, queries: { leaves: {}, waits: {} }, updates: { go: {} } };
const defined = Object.entries(workflows).map(([name, code]) => defineWorkflow(name, settings, code));
const fine = defineWorkflow('fine', {}, async (ctx) => ctx.step(slow, 1));

const [url = '', apiKey = '', name = ''] = process.argv.slice(2);
await startWorker({ url, apiKey, name, workflows: [...defined, child, childLeaves, fine], steps });
process.stdout.write('ready\n');
process.stdin.once('data', () => lost('the program itself'));
