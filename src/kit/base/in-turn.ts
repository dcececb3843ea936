/** Runs work of the same key one after the other, whatever becomes of it. */
export function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  /** The last of each key; settles when it has ended. */
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const ended = Promise.withResolvers<void>();
    last.set(key, ended.promise);
    try {
      await before;
      return await work();
    } finally {
      ended.resolve();
      if (last.get(key) === ended.promise) last.delete(key);
    }
  };
}
