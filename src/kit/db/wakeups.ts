import { SlotMap } from '../base/slot-map.ts';

/**
 * Notifies readers of a change: by a function call in one process, by NOTIFY between processes on PostgreSQL. NOTIFY is sent
 * after the commit, because inside the transaction it would serialise all commits. It is only a hint: readers also poll.
 */
export type Wakeups = {
  /** `news` is JSON that listeners of other processes get along, unless it is long. */
  wake(topic: string, news?: string): void;
  listen(topic: string, listener: WakeListener): () => void;
  /**
   * The name of this process's listening connection; undefined while the connection is lost. Constant on SQLite.
   */
  hearsAs(): string | undefined;
  /** Resolves when the first attempt to listen has ended, successful or not. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

/** `news`: what another process sent along, in its order; undefined if this process knows, or has to look. */
export type WakeListener = (news?: readonly unknown[]) => void;

export type LocalWakeups = Wakeups & {
  /** Another process woke this one. */
  hear(topic: string, news: readonly unknown[]): void;
  /** Notifications may have been missed. */
  wakeAll(): void;
};

export function createLocalWakeups(): LocalWakeups {
  // Nearly all topics have one listener, and there may be ten thousand topics: a set is made for the second one.
  const listeners = new SlotMap<WakeListener | Set<WakeListener>>();
  const call = (topic: string, news?: readonly unknown[]) => {
    const found = listeners.get(topic);
    if (typeof found === 'function') found(news);
    else for (const listener of found ?? []) listener(news);
  };
  return {
    wake: (topic) => call(topic),
    hear: call,
    wakeAll() {
      for (const topic of [...listeners.keys()]) call(topic);
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
