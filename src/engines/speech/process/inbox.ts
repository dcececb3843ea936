export type Inbox<T> = {
  push(item: T): void;
  end(): void;
  fail(error: unknown): void;
  /** What has come since the last call, or undefined at the end. Waits if there is nothing. */
  take(): Promise<T[] | undefined>;
};

/** What a process said and nobody has read yet: at most the sound of one sentence. A failure comes before what waits. */
export function createInbox<T>(): Inbox<T> {
  let pending: T[] = [];
  let outcome: { error: unknown } | 'open' | 'ended' = 'open';
  let wake: (() => void) | undefined;

  function settle(next: typeof outcome): void {
    if (outcome === 'open') outcome = next;
    wake?.();
  }

  return {
    push(item) {
      pending.push(item);
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
