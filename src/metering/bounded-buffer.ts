/** A queue of bounded length: beyond it the oldest items are dropped. */
export type BoundedBuffer<T> = {
  push(item: T): void;
  /** Removes up to `count` of the oldest items. */
  take(count: number): T[];
  /** Puts taken items back at the front. */
  putBack(items: readonly T[]): void;
  length(): number;
  items(): Iterable<T>;
};

export function createBoundedBuffer<T>(lengthMax: number, onDrop: (count: number) => void): BoundedBuffer<T> {
  let items: T[] = [];
  // Removing from the front of an array moves all other items, so `front` advances and is cut off now and then.
  let front = 0;

  const length = () => items.length - front;

  function advance(count: number): void {
    front += count;
    if (front * 2 > items.length) {
      items = items.slice(front);
      front = 0;
    }
  }

  function dropExcess(): void {
    const excess = length() - lengthMax;
    if (excess <= 0) return;
    advance(excess);
    onDrop(excess);
  }

  return {
    push(item) {
      items.push(item);
      dropExcess();
    },
    take(count) {
      const taken = items.slice(front, front + count);
      advance(taken.length);
      return taken;
    },
    putBack(taken) {
      items = taken.concat(items.slice(front));
      front = 0;
      dropExcess();
    },
    length,
    items: () => items.slice(front),
  };
}
