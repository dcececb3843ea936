/**
 * Tells readers that something they watch has changed. In one process that is a function call; between
 * processes on PostgreSQL it is NOTIFY, sent in batches after the commit, because a NOTIFY inside the
 * transaction would make all commits queue behind one lock. It is only a hint: readers also poll.
 */
export type Wakeups = {
  wake(topic: string): void;
  listen(topic: string, listener: () => void): () => void;
  /**
   * The name under which the database knows that this process hears of others, as long as it does; undefined when the
   * connection for it is lost. Where nobody else can write it never changes.
   */
  hearsAs(): string | undefined;
  /** Resolves when the first attempt to listen to others has ended, well or not. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

export type LocalWakeups = Wakeups & {
  /** Whatever may have been said was not heard. */
  wakeAll(): void;
};

export function createLocalWakeups(): LocalWakeups {
  const listeners = new Map<string, Set<() => void>>();
  const wake = (topic: string) => {
    for (const listener of listeners.get(topic) ?? []) listener();
  };
  return {
    wake,
    wakeAll() {
      for (const topic of [...listeners.keys()]) wake(topic);
    },
    listen(topic, listener) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(topic) === set) listeners.delete(topic);
      };
    },
    hearsAs: () => 'alone',
    ready: async () => undefined,
    close: async () => undefined,
  };
}
