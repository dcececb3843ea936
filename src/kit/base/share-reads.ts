import { SlotMap } from './slot-map.ts';

/**
 * Lets callers of the same turn of the event loop share one read. It begins when all of them have asked, so nobody gets
 * an answer that is older than the question.
 */
export function shareReads<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  const asked = new SlotMap<Promise<T>>();
  return (key, read) => {
    const known = asked.get(key);
    if (known) return known;
    const shared = new Promise<T>((resolve, reject) => {
      setImmediate(() => {
        asked.delete(key);
        read().then(resolve, reject);
      });
    });
    asked.set(key, shared);
    return shared;
  };
}
