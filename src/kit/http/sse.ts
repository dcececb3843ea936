import type { ServerResponse } from 'node:http';
import type { ApiError } from './errors.ts';

export type SseEvent = { id?: string | number; event?: string; data: unknown };

const HEARTBEAT_MS = 15_000;
const TICK_MS = 50;
/** At most, and half of that when no tick is late. A write takes some 30 µs, so these delay no other request noticeably. */
const HEARTBEATS_PER_TICK = 8;
const HEARTBEAT = ': heartbeat\n\n';

/** One event, or the encoded text of several from a stream that encodes its own. */
type SseItem = SseEvent | string;

/** What a handler returns for a stream; the server writes it. */
export class SseReply {
  readonly events: AsyncIterable<SseItem>;
  readonly resumable: boolean;
  readonly toErrorEvent: ToErrorEvent;

  constructor(events: AsyncIterable<SseItem>, { resumable = false, toErrorEvent = defaultErrorEvent }: SseOptions) {
    this.events = events;
    this.resumable = resumable;
    this.toErrorEvent = toErrorEvent;
  }
}

type SseOptions = {
  /** A reader can continue from its last id, so a stopping server need not wait for it. */
  resumable?: boolean;
  /** The last event of a stream whose caller lost its access. */
  toErrorEvent?: ToErrorEvent;
};

type ToErrorEvent = (error: ApiError) => SseItem;

export function sse(events: AsyncIterable<SseItem>, options: SseOptions = {}): SseReply {
  return new SseReply(events, options);
}

function defaultErrorEvent({ message, type, wireCode: code }: ApiError): SseEvent {
  return { event: 'error', data: { object: 'error', message, type, param: null, code } };
}

/** One timer for all open streams: ten thousand idle ones cost one wake-up, not ten thousand. */
export type Heartbeats = { add(response: ServerResponse): void; remove(response: ServerResponse): void; stop(): void };

export function createHeartbeats(intervalMs = HEARTBEAT_MS): Heartbeats {
  // In the order of their last heartbeat. An iterator that is kept between ticks would keep every response of that time.
  const open = new Set<ServerResponse>();
  let due = 0;
  let timer: NodeJS.Timeout | undefined;

  // A slice of the streams at each tick: thousands at once would block other requests.
  function tick(sinceMs: number): void {
    due = Math.min(due + (open.size * (performance.now() - sinceMs)) / intervalMs, open.size);
    let left = HEARTBEATS_PER_TICK;
    for (const response of open) {
      if (due < 1 || left === 0) break;
      due--;
      left--;
      open.delete(response);
      open.add(response);
      // A slow reader has bytes pending already; more would only grow its queue.
      if (isOpen(response) && !response.writableNeedDrain) response.write(HEARTBEAT);
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
    add(response) {
      open.add(response);
      if (!timer) plan();
    },
    remove: (response) => void open.delete(response),
    stop,
  };
}

export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Tells nginx and similar proxies not to buffer the stream.
  'x-accel-buffering': 'no',
};

/** Writes events until they end or the client disconnects. The next event is read only when the last one was taken. */
export async function writeSse(
  events: AsyncIterable<SseItem>,
  response: ServerResponse,
  heartbeats: Heartbeats,
): Promise<void> {
  response.flushHeaders();
  heartbeats.add(response);
  try {
    for await (const event of events) {
      if (!isOpen(response)) break;
      if (!response.write(encodeSse(event))) await drained(response);
      if (!isOpen(response)) break;
    }
  } finally {
    heartbeats.remove(response);
    response.end();
  }
}

// A stopping server ends streams from outside, while their reader may still be behind.
export function isOpen(response: ServerResponse): boolean {
  return !response.destroyed && !response.writableEnded;
}

export function encodeSse(item: SseItem): string {
  if (typeof item === 'string') return item;
  const { id, event, data } = item;
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  // Plain text may contain line breaks, and each line then needs its own field.
  return text.includes('\n') || text.includes('\r')
    ? `${head}${text
        .split(/\r\n|\r|\n/)
        .map((line) => `data: ${line}\n`)
        .join('')}\n`
    : `${head}data: ${text}\n\n`;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
