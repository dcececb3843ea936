const HEARTBEAT_MS = 15_000;
const TICK_MS = 50;
/** At most, and half of that when no tick is late. A write takes some 30 µs, so these delay no other request noticeably. */
const HEARTBEATS_PER_TICK = 8;

/** An open stream. It leaves a heartbeat out while its reader is behind. */
type Beating = { beat(): void };

/** One timer for all open streams: ten thousand idle ones cost one wake-up, not ten thousand. */
export type Heartbeats<T extends Beating> = {
  add(stream: T): void;
  remove(stream: T): void;
  /** All that were added and not removed. */
  all(): Iterable<T>;
  stop(): void;
};

export function createHeartbeats<T extends Beating>(intervalMs = HEARTBEAT_MS): Heartbeats<T> {
  // In the order of their last heartbeat. An iterator that is kept between ticks would keep every stream of that time.
  const open = new Set<T>();
  let due = 0;
  let timer: NodeJS.Timeout | undefined;

  // A slice of the streams at each tick: thousands at once would block other requests.
  function tick(sinceMs: number): void {
    due = Math.min(due + (open.size * (performance.now() - sinceMs)) / intervalMs, open.size);
    let left = HEARTBEATS_PER_TICK;
    for (const stream of open) {
      if (due < 1 || left === 0) break;
      due--;
      left--;
      open.delete(stream);
      open.add(stream);
      stream.beat();
    }
    stop();
    if (open.size > 0) plan();
  }

  function plan(): void {
    const tickMs = Math.max(1, Math.min(TICK_MS, intervalMs, (intervalMs * HEARTBEATS_PER_TICK) / 2 / open.size));
    timer = setTimeout(tick, tickMs, performance.now()).unref();
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    add(stream) {
      open.add(stream);
      if (!timer) plan();
    },
    remove: (stream) => void open.delete(stream),
    all: () => open,
    stop,
  };
}
