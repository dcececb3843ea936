/**
 * Notifies readers of a change: by a function call in one process, by NOTIFY between processes on PostgreSQL. NOTIFY is sent
 * after the commit, because inside the transaction it would serialise all commits. It is only a hint: readers also poll.
 */
export type Wakeups = {
  wake(topic: string): void;
  listen(topic: string, listener: () => void): () => void;
  /**
   * The name of this process's listening connection; undefined while the connection is lost. Constant on SQLite.
   */
  hearsAs(): string | undefined;
  /** Resolves when the first attempt to listen has ended, successful or not. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

export type LocalWakeups = Wakeups & {
  /** Notifications may have been missed. */
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
