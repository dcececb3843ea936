import type { Database } from '../db/index.ts';
import { type EncodedEvent, jsonOf } from './encode-events.ts';
import type { StoredEvent } from './store/streams.ts';

const TOPIC = 'streams-read-elsewhere';
/** So long events are sent along with the notification after a reader elsewhere asked for it; then it asks again. */
const TOLD_MS = 30_000;
const STREAMS_MAX = 10_000;
const CHARACTERS_MAX = 2000;

type News = [seq: number, type: string, created_at: string, data: unknown];

/**
 * Streams that another process reads: their short events travel in the notification, which saves it a read. Nobody elsewhere
 * reads most streams, so a reader that had to look for itself asks for it.
 */
export type ReadElsewhere = {
  /** This process reads what another one writes. */
  ask(stream: string): void;
  /** JSON for those who asked; undefined if nobody did. */
  newsOf(stream: string, events: readonly EncodedEvent[]): string | undefined;
  stop(): void;
};

export function createReadElsewhere({ wakeups }: Database, nowMs = () => performance.now()): ReadElsewhere {
  /** Until when, in this order. */
  const asked = new Map<string, number>();
  const stop = wakeups.listen(TOPIC, (streams = []) => {
    for (const stream of streams) if (typeof stream === 'string') note(stream);
  });

  function note(stream: string): void {
    asked.delete(stream);
    asked.set(stream, nowMs() + TOLD_MS);
    for (const [oldest, untilMs] of asked) {
      if (asked.size <= STREAMS_MAX && untilMs > nowMs()) break;
      asked.delete(oldest);
    }
  }

  return {
    ask: (stream) => wakeups.wake(TOPIC, JSON.stringify(stream)),
    newsOf(stream, events) {
      const untilMs = asked.get(stream);
      if (untilMs === undefined) return undefined;
      if (untilMs < nowMs()) return void asked.delete(stream);
      let characters = 0;
      for (const { form, own } of events) characters += form.length + own.length;
      return characters > CHARACTERS_MAX ? undefined : events.map(toNews).join();
    },
    stop,
  };
}

function toNews(event: EncodedEvent): string {
  return `[${event.seq},${JSON.stringify(event.type)},"${event.created_at}",${jsonOf(event)}]`;
}

/** Empty for what is none: another version may send something else. */
export function fromNews(news: unknown): StoredEvent[] {
  if (!Array.isArray(news) || news.length !== 4 || typeof news[0] !== 'number') return [];
  const [seq, type, created_at, data] = news as News;
  return [{ seq, type, data, created_at }];
}
