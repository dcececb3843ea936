import { SlotMap } from '../../../kit/base/slot-map.ts';
import type { Database } from '../../../kit/db/index.ts';
import { hasEnded } from '../../schema/statuses.ts';
import type { RunRow } from '../../store/run-tables.ts';

const LOOK_MS = 1000;

export type Waiters<T> = {
  /**
   * Resolves with what `look` finds, now or after a notification of the topic. Rejects with the signal. `isNew`: nothing
   * can have been found yet, so the first look is spared.
   */
  wait(topic: string, look: () => Promise<T | undefined>, signal: AbortSignal, isNew?: boolean): Promise<T>;
  /** Resolves the waiters of this process directly. */
  settle(topic: string, value: T): void;
};

/**
 * Waits for outcomes that any process may produce: notified directly in this process, by a wake-up from another, and
 * by polling, because a wake-up may be lost.
 */
export function createWaiters<T>(database: Database): Waiters<T> {
  const waiting = new SlotMap<Set<(value: T) => void>>();

  return {
    async wait(topic, look, signal, isNew = false) {
      signal.throwIfAborted();
      const { promise, resolve: found, reject } = Promise.withResolvers<T>();
      let isFound = false;
      const resolve = (value: T) => {
        isFound = true;
        found(value);
      };
      const set = waiting.get(topic) ?? new Set();
      waiting.set(topic, set.add(resolve));
      const check = () => {
        // The process that settles it wakes its own listeners too.
        if (!isFound) look().then((value) => value !== undefined && resolve(value), reject);
      };
      const unlisten = database.wakeups.listen(topic, check);
      const timer = setInterval(check, LOOK_MS);
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        if (!isNew) check();
        return await promise;
      } finally {
        clearInterval(timer);
        unlisten();
        signal.removeEventListener('abort', onAbort);
        if (set.size === 1) waiting.delete(topic);
        else set.delete(resolve);
      }
    },
    settle(topic, value) {
      for (const resolve of waiting.get(topic) ?? []) resolve(value);
      if (database.kind === 'postgres') database.wakeups.wake(topic);
    },
  };
}

export const endTopic = (workspaceId: string, executionId: string): string =>
  `workflow-ended:${workspaceId}:${executionId}`;

export const updateTopic = (updateId: string): string => `workflow-update:${updateId}`;

/** Whether the execution has ended: its latest run has. */
export function isFinal(row: RunRow): boolean {
  return row.is_latest && hasEnded(row.status);
}
