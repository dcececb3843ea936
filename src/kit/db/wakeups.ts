/**
 * Tells readers that something they watch has changed. In one process that is a function call; between
 * processes on PostgreSQL it is NOTIFY, sent in batches after the commit, because a NOTIFY inside the
 * transaction would make all commits queue behind one lock. It is only a hint: readers also poll.
 */
export type Wakeups = {
  wake(topic: string): void;
  listen(topic: string, listener: () => void): () => void;
  close(): Promise<void>;
};

export function createLocalWakeups(): Wakeups {
  const listeners = new Map<string, Set<() => void>>();
  return {
    wake(topic) {
      for (const listener of listeners.get(topic) ?? []) listener();
    },
    listen(topic, listener) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(topic) === set) listeners.delete(topic);
      };
    },
    close: async () => undefined,
  };
}
