import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tx } from './tables.ts';

type Prelude = (tx: Tx) => Promise<void>;
type Hook = () => unknown;
type LastStep = { rank: LastRank; key: string; run: () => Promise<void> };
type Context = { state: 'idle' | 'opening' | 'open' | 'closed'; prelude?: Prelude | undefined };

const contexts = new AsyncLocalStorage<Context>();

// Properties of the handle, because hooks refer to it: what a WeakMap holds survives collections of young objects, and with it
// its key and all that the transaction has written.
const HOOKS = Symbol('commit hooks');
const STEPS = Symbol('last steps');
type Carrier = { [HOOKS]?: Hook[]; [STEPS]?: LastStep[] };

/** Applied in this order in every transaction. */
const LAST_RANKS = ['signal', 'audit'] as const;
type LastRank = (typeof LAST_RANKS)[number];

/**
 * Runs at the end of the transaction, within it. For rows that nearly all writers change: they are locked only until the
 * commit, and always in the same order (rank, then key), which prevents deadlocks.
 */
export function beforeCommit(tx: Tx, rank: LastRank, key: string, run: () => Promise<void>): void {
  const steps = (tx as Carrier)[STEPS];
  if (!steps) throw new Error('beforeCommit needs the handle of an open transaction');
  steps.push({ rank, key, run });
}

async function runLastSteps(steps: LastStep[]): Promise<void> {
  if (steps.length === 0) return;
  for (const rank of LAST_RANKS) {
    const ofRank = steps.filter((step) => step.rank === rank);
    // The sort is stable: entries with the same key keep their order.
    for (const { run } of ofRank.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))) await run();
  }
}

/**
 * Runs once the transaction is committed and durable; never when it rolls back. On PostgreSQL the hook is awaited before
 * the caller gets its result, because other processes may have to apply the change first.
 */
export function afterCommit(tx: Tx, hook: Hook): void {
  const hooks = (tx as Carrier)[HOOKS];
  if (!hooks) throw new Error('afterCommit needs the handle of an open transaction');
  hooks.push(hook);
}

/**
 * Runs `work`; the first transaction opened inside begins with `prelude`, in that same transaction.
 * Idempotency keys are claimed this way: the claim and the work they guard commit together or not at all.
 */
export function withPrelude<T>(prelude: Prelude, work: () => T): T {
  return contexts.run({ state: 'idle', prelude }, work);
}

/** A query on the outer handle inside a transaction would run outside of it, so the driver refuses it here. */
export function assertOuterHandleAllowed(): void {
  const context = contexts.getStore();
  if (context?.state === 'opening') context.state = 'open';
  else if (context?.state === 'open') {
    throw new Error('The outer database handle was used inside a transaction: pass tx instead.');
  }
}

/** The work is durable; a failing hook must not make it look undone. */
export async function runHooks(hooks: Hook[]): Promise<void> {
  const promised: Promise<unknown>[] = [];
  for (const hook of hooks) {
    try {
      const result = hook();
      if (result instanceof Promise) promised.push(result.catch(warn));
    } catch (error) {
      warn(error);
    }
  }
  if (promised.length > 0) await Promise.all(promised);
}

function warn(error: unknown): void {
  process.emitWarning(`An afterCommit hook failed: ${error instanceof Error ? error.message : error}`);
}

export async function runInTransaction<T>(
  begin: (body: (tx: Tx) => Promise<T>) => Promise<T>,
  work: (tx: Tx) => Promise<T>,
): Promise<{ result: T; hooks: Hook[] }> {
  const outer = contexts.getStore();
  if (outer?.state === 'opening' || outer?.state === 'open') {
    throw new Error('A transaction is already open here: pass tx instead of opening another.');
  }
  const context: Context = { state: 'opening' };
  const hooks: Hook[] = [];
  const steps: LastStep[] = [];
  const prelude = outer?.prelude;
  try {
    const result = await contexts.run(context, () =>
      begin(async (tx) => {
        Object.assign(tx, { [HOOKS]: hooks, [STEPS]: steps } satisfies Carrier);
        if (prelude) await prelude(tx);
        const result = await work(tx);
        await runLastSteps(steps);
        return result;
      }),
    );
    if (outer) outer.prelude = undefined;
    return { result, hooks };
  } finally {
    context.state = 'closed';
  }
}
