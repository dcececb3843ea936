import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { afterCommit, type Db, type Tx } from '../db/index.ts';
import type { Remover } from './remove-ended.ts';
import type { ClaimedTask } from './store/claim.ts';
import { isLeased } from './store/complete.ts';
import { LeaseLost } from './store/lease.ts';
import type { Tasks } from './tasks.ts';

export type RunningTask = ClaimedTask & {
  /** Ends the task in the handler's own transaction; throws LeaseLost, which rolls it back. */
  complete(tx: Tx): Promise<void>;
};

export type HandlerContext = {
  /** Aborted when the lease is lost, the task is cancelled, or the runner stops and does not wait any longer. */
  signal: AbortSignal;
  /** Renews the lease at once; the runner does so by itself at each third of it. False when it was lost. */
  heartbeat(): Promise<boolean>;
};

export type TaskHandler = (task: RunningTask, context: HandlerContext) => Promise<void>;

export type Run = {
  id: string;
  /** Whether the task is gone: nothing of it will be due again. */
  ended: Promise<boolean>;
  /** Renews the lease; never throws. */
  renew(): Promise<void>;
  /** Whether the lease ends within this time, or has ended. */
  isShort(ms: number): boolean;
  interrupt(): void;
  /** Returns the task although its handler still runs; its later writes are refused. */
  abandon(): Promise<void>;
};

type RunOptions = { task: ClaimedTask; handler: TaskHandler; leaseMs: number; tasks: Tasks; db: Db } & {
  /** Takes the row of a task that has ended; without one it is deleted with the end. */
  remover?: Remover | undefined;
  now: Clock;
  log: Logger;
};

class Interrupted extends Error {
  override name = 'AbortError';
}

export function startRun({ task, handler, leaseMs, tasks, db, remover, now, log }: RunOptions): Run {
  const about = { queue: task.queue, task_id: task.id, attempt: task.attempt };
  const controller = new AbortController();
  let leasedUntilMs = task.leased_until_ms;
  // Set inside the handler's transaction: from then on a missing row may mean success.
  let isCompleting = false;
  let isCompleted = false;
  let isInterrupted = false;
  let renewing: Promise<void> | undefined;
  let renewAgain = false;

  async function heartbeat(): Promise<boolean> {
    const askedAtMs = now();
    const isOurs = await tasks.heartbeat(db, task, leaseMs);
    if (isOurs) leasedUntilMs = askedAtMs + leaseMs;
    else if (!isCompleting && !controller.signal.aborted) {
      controller.abort(new LeaseLost(task));
      await tasks.forgiveDeath(task);
    }
    return isOurs;
  }

  async function renewOnce(): Promise<void> {
    try {
      await heartbeat();
    } catch (error) {
      log.warn({ ...about, err: error }, 'the lease of a task could not be renewed');
      if (now() >= leasedUntilMs) controller.abort(new LeaseLost(task));
    }
  }

  /** One renewal at a time, so that a slow database is not asked more often. */
  function renew(): Promise<void> {
    renewAgain = true;
    renewing ??= (async () => {
      while (renewAgain) {
        renewAgain = false;
        await renewOnce();
      }
    })().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  async function completeIn(tx: Tx): Promise<void> {
    const isLeft = remover !== undefined && !task.repeat_ms;
    if (!isLeft) await tasks.completeOrThrow(tx, task);
    else if (!(await isLeased(tx, task))) throw new LeaseLost(task);
    isCompleting = true;
    afterCommit(tx, () => {
      isCompleted = true;
      if (isLeft) remover.add(task);
    });
  }

  async function handle(): Promise<void> {
    await handler({ ...task, complete: completeIn }, { signal: controller.signal, heartbeat });
    if (isCompleted) return;
    // An aborted handler may have returned half-way, so it counts as finished only if it completed the task.
    controller.signal.throwIfAborted();
    await tasks.completeOrThrow(db, task);
    isCompleted = true;
  }

  async function settle(error: unknown): Promise<void> {
    if (isInterrupted) return giveBack();
    if (error instanceof LeaseLost || controller.signal.aborted) {
      log.warn({ ...about, err: error }, 'a task was taken from its handler');
      return;
    }
    const outcome = await tasks.fail(db, task, error);
    log.error({ ...about, outcome, err: error }, 'a task failed');
  }

  async function giveBack(): Promise<void> {
    if (await tasks.release(db, task)) log.info(about, 'a task was interrupted and given back');
  }

  async function run(): Promise<boolean> {
    try {
      await handle().catch(settle);
    } catch (error) {
      // Nothing is lost: the task is claimed again when the lease has run out.
      log.error({ ...about, err: error }, 'the outcome of a task could not be stored');
    }
    return isCompleted && !task.repeat_ms;
  }

  return {
    id: task.id,
    ended: run(),
    renew,
    isShort: (ms) => leasedUntilMs <= now() + ms,
    interrupt() {
      isInterrupted = true;
      controller.abort(new Interrupted('The task runner stops.'));
    },
    async abandon() {
      await giveBack().catch((error) => log.error({ ...about, err: error }, 'a task could not be given back'));
    },
  };
}
