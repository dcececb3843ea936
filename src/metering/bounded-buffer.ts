/** First in, first out, of bounded length: beyond it the oldest give way. */
export type BoundedBuffer<T> = {
  push(item: T): void;
  /** Takes out at most `count` of the oldest. */
  take(count: number): T[];
  /** Puts back in front what was taken out. */
  putBack(items: readonly T[]): void;
  length(): number;
  items(): Iterable<T>;
};

export function createBoundedBuffer<T>(lengthMax: number, onDrop: (count: number) => void): BoundedBuffer<T> {
  let items: T[] = [];
  // Taking from the front of a long array moves all the others, so the front only advances and is cut off now and then.
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
