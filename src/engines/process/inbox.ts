export type Inbox<T> = {
  push(items: T[]): void;
  end(): void;
  fail(error: unknown): void;
  /** What has come since the last call, or undefined at the end. Waits if there is nothing. */
  take(): Promise<T[] | undefined>;
};

/**
 * What a child said and nobody has read yet; the child never waits for a reader. A failure comes before what waits. With
 * `join` an item may become one with the last that waits, so that a reader who falls behind costs less.
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
