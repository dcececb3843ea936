import type { ApiError } from './errors.ts';
import type { StreamConnection } from './stream-connection.ts';

export type SseEvent = { id?: string | number; event?: string; data: unknown };

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

export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Tells nginx and similar proxies not to buffer the stream.
  'x-accel-buffering': 'no',
};

/** What follows streams; one for all of them, because ten thousand may be idle at once. */
export type StreamFollower = {
  ended(connection: StreamConnection): void;
  failed(connection: StreamConnection, error: unknown): void;
};

/** Writes events until they end or the client disconnects. The next event is read only when the last one was taken. */
export async function writeSse(
  events: AsyncIterable<SseItem>,
  connection: StreamConnection,
  follower: StreamFollower,
): Promise<void> {
  try {
    for await (const event of events) {
      if (!connection.isOpen) break;
      if (!connection.write(encodeSse(event))) await connection.drained();
      if (!connection.isOpen) break;
    }
  } catch (error) {
    follower.failed(connection, error);
  } finally {
    connection.end();
    follower.ended(connection);
  }
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
