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

type Listener = () => void;

export function createLocalWakeups(): LocalWakeups {
  // Nearly all topics have one listener, and there may be ten thousand topics: a set is made for the second one.
  const listeners = new Map<string, Listener | Set<Listener>>();
  const wake = (topic: string) => {
    const found = listeners.get(topic);
    if (typeof found === 'function') found();
    else for (const listener of found ?? []) listener();
  };
  return {
    wake,
    wakeAll() {
      for (const topic of [...listeners.keys()]) wake(topic);
    },
    listen(topic, listener) {
      const others = listeners.get(topic);
      if (!others) listeners.set(topic, listener);
      else if (typeof others === 'function') listeners.set(topic, new Set([others, listener]));
      else others.add(listener);
      return () => {
        const found = listeners.get(topic);
        if (found === listener) listeners.delete(topic);
        else if (found instanceof Set && found.delete(listener) && found.size === 0) listeners.delete(topic);
      };
    },
    hearsAs: () => 'alone',
    ready: async () => undefined,
    close: async () => undefined,
  };
}
