export type Inbox<T> = {
  push(items: T[]): void;
  end(): void;
  fail(error: unknown): void;
  /** The items since the last call, or undefined at the end. Waits if there are none. */
  take(): Promise<T[] | undefined>;
};

/**
 * Items that were not read yet; the writer never waits. A failure comes before waiting items. `join` may merge an item with
 * the last waiting one, so that a slow reader costs less memory.
 */
export function createInbox<T>(join?: (last: T, item: T) => T | undefined): Inbox<T> {
  let pending: T[] = [];
  let outcome: { error: unknown } | 'open' | 'ended' = 'open';
  let wake: (() => void) | undefined;

  function settle(next: typeof outcome): void {
    if (outcome === 'open') outcome = next;
    wake?.();
  }

  function add(item: T): void {
    const last = pending.at(-1);
    const joined = last === undefined ? undefined : join?.(last, item);
    if (joined === undefined) pending.push(item);
    else pending[pending.length - 1] = joined;
  }

  return {
    push(items) {
      for (const item of items) add(item);
      wake?.();
    },
    end: () => settle('ended'),
    fail: (error) => settle({ error }),
    async take() {
      while (pending.length === 0 && outcome === 'open') {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (typeof outcome === 'object') throw outcome.error;
      if (pending.length === 0) return undefined;
      const taken = pending;
      pending = [];
      return taken;
    },
  };
}
