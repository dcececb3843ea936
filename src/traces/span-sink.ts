import { AsyncLocalStorage } from 'node:async_hooks';
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../kit/base/log.ts';
import { ownTurn } from '../kit/base/own-turn.ts';
import { type Database, isUniqueViolation } from '../kit/db/index.ts';
import type { CallContent, UsageRecord, WorkSpan } from '../metering/index.ts';
import { fitContent } from './content/fit-content.ts';
import type { Redactor } from './content/redactor.ts';
import { NO_CONTENT, redactContent, toSpanContent } from './content/to-span-content.ts';
import type { LogRow } from './schema/log.ts';
import type { Span, SpanContent } from './schema/span.ts';
import { type ContentRow, contentWriter } from './store/contents.ts';
import { logWriter } from './store/logs.ts';
import { type SpanWriter, spanWriter } from './store/spans.ts';
import { toErrorLog } from './to-error-log.ts';
import { toSpan, toWorkSpan } from './to-span.ts';

const FLUSH_MS = 1000;
/** So many are written at once, while they are in the processor's cache and young: the collector copies what waits. */
const FLUSH_SPANS = 256;
/** About three milliseconds of the event loop on SQLite. A power of two needs few statements. */
const TRANSACTION_SPANS = 256;
const QUEUE_SPANS_MAX = 20_000;
/** Of what clients send, within the second until it is written: nobody takes the place of the others. */
const KEY_SPANS_MAX = 5000;
const ORGANIZATION_SPANS_MAX = 10_000;
/** Of what was said, in all that waits. */
const CONTENT_CHARACTERS_MAX = 32 * 1024 * 1024;
/** More than is kept, so that a text is redacted before its end is cut off. */
const MARGIN_CHARACTERS = 4096;

/** A span, or what one is made of when it is written. */
type Waiting =
  | { span: Span; content: SpanContent | undefined }
  | { record: UsageRecord; costMicros: number; content: CallContent | undefined }
  | { work: WorkSpan };

type Rows = { spans: Span[]; contents: ContentRow[]; logs: LogRow[] };

export type SpanSink = {
  /** Synchronous and cheap; a full queue drops it. */
  record(record: UsageRecord, costMicros: number): void;
  work(span: WorkSpan): void;
  /** Spans that one client sends. Returns how many were taken. */
  add(spans: readonly { span: Span; content: SpanContent | undefined }[]): number;
  addLogs(rows: readonly LogRow[]): number;
  /** Resolves when everything so far is written or given up. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/** Spans wait in memory and are written in batches. What cannot be written is dropped and counted: no request waits for it. */
export function createSpanSink(options: {
  database: Database;
  log: Logger;
  redact: Redactor;
  /** Of each kind of content. */
  charactersMax: number;
  priceSource?: ((model: string) => string | undefined) | undefined;
  registry?: Registry | undefined;
}): SpanSink {
  const { database, log, redact, charactersMax, registry } = options;
  const { kind } = database;
  const [writeNew, writeOnce] = [spanWriter(kind, { mayRepeat: false }), spanWriter(kind, { mayRepeat: true })];
  const [writeContents, writeLogs] = [contentWriter(kind), logWriter(kind)];
  // A flush joins neither the transaction nor the idempotency claim of the request that causes it.
  const outside = AsyncLocalStorage.snapshot();
  const dropped = new Counter({
    name: 'spans_dropped_total',
    help: 'Spans that were not stored because the queue was full or the database could not be written',
    registers: registry ? [registry] : [],
  });
  const contentsDropped = new Counter({
    name: 'span_contents_dropped_total',
    help: 'Contents that were not stored because too many waited or the redaction rules took too long',
    registers: registry ? [registry] : [],
  });
  let queue: Waiting[] = [];
  /** What clients sent: written each second, however much of our own is written earlier, as their limits say. */
  let received: Waiting[] = [];
  let lines: LogRow[] = [];
  let ownCharacters = 0;
  let receivedCharacters = 0;
  const sent = new Map<string, number>();
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  /** Writes what waits now. Later ones wait for the next flush, or a steady load would cause tiny transactions. */
  async function drain(): Promise<void> {
    await drainOwn();
    const [waiting, logs] = [received, lines];
    [received, lines, receivedCharacters] = [[], [], 0];
    sent.clear();
    await storeAll(waiting, writeOnce);
    for (let at = 0; at < logs.length; at += TRANSACTION_SPANS)
      await commit({ spans: [], contents: [], logs: logs.slice(at, at + TRANSACTION_SPANS) }, writeOnce);
  }

  async function drainOwn(): Promise<void> {
    const waiting = queue;
    [queue, ownCharacters] = [[], 0];
    await storeAll(waiting, writeNew);
  }

  async function storeAll(waiting: readonly Waiting[], write: SpanWriter): Promise<void> {
    for (let at = 0; at < waiting.length; at += TRANSACTION_SPANS)
      await store(waiting.slice(at, at + TRANSACTION_SPANS), write);
  }

  async function store(waiting: readonly Waiting[], write: SpanWriter): Promise<void> {
    const spans: Span[] = [];
    const contents: ContentRow[] = [];
    const logs: LogRow[] = [];
    for (const one of waiting) {
      try {
        const span = toRow(one, options.priceSource);
        const content = hasContent(one) ? await prepare(one) : undefined;
        if (!('span' in one) && span.status_code === 'Error') logs.push(toErrorLog(span));
        if (content) contents.push(contentRow(span, content));
        spans.push(span);
      } catch (error) {
        // Stored definitions may hold anything, and nobody awaits a flush: an error would end the process.
        giveUp(1, error);
      }
    }
    await commit({ spans, contents, logs }, write);
  }

  function giveUp(count: number, error: unknown): void {
    dropped.inc(count);
    if (!isFailing) log.warn({ err: error }, 'spans could not be stored; they are dropped while that lasts');
    isFailing = true;
  }

  async function prepare(one: Waiting): Promise<SpanContent | undefined> {
    await ownTurn();
    const content = toContent(one);
    if (!content) contentsDropped.inc();
    return content;
  }

  function toContent(one: Waiting): SpanContent | undefined {
    if ('work' in one) {
      const { arguments: given = '', result = '' } = one.work.content ?? {};
      const texts = { ...NO_CONTENT, tool_call_arguments: given, tool_call_result: result };
      return redactContent(texts, redact, charactersMax);
    }
    if (!one.content) return undefined;
    return 'record' in one
      ? toSpanContent(one.content as CallContent, redact, charactersMax)
      : redactContent(one.content as SpanContent, redact, charactersMax);
  }

  async function commit(rows: Rows, write: SpanWriter): Promise<void> {
    const { spans, contents, logs } = rows;
    try {
      // A crash may lose the last second of them, so nobody waits for the disk.
      await database.commit(async (tx) => {
        if (spans.length > 0) await write(tx, spans);
        if (contents.length > 0) await writeContents(tx, contents);
        if (logs.length > 0) await writeLogs(tx, logs);
      });
      isFailing = false;
    } catch (error) {
      // Steps that are done again have the ids that they had.
      if (write === writeNew && isUniqueViolation(error)) return commit(rows, writeOnce);
      giveUp(spans.length, error);
    }
  }

  /** What is said waits as well, within bounds. */
  function hold<T extends CallContent>(content: T): CallContent | undefined {
    const fitted = fitContent(content, charactersMax + MARGIN_CHARACTERS);
    const characters = 4 * (charactersMax + MARGIN_CHARACTERS);
    if (!hasRoomFor(characters)) return undefined;
    ownCharacters += characters;
    return fitted;
  }

  function holdReceived(content: SpanContent): SpanContent | undefined {
    const characters = lengthOf(content);
    if (!hasRoomFor(characters)) return undefined;
    receivedCharacters += characters;
    return content;
  }

  function hasRoomFor(characters: number): boolean {
    const hasRoom = ownCharacters + receivedCharacters + characters <= CONTENT_CHARACTERS_MAX;
    if (!hasRoom) contentsDropped.inc();
    return hasRoom;
  }

  const isFull = () => queue.length + received.length >= QUEUE_SPANS_MAX;

  /** How many spans the sender may still add; all of one export have the same key. */
  function roomOf(span: Span | undefined): number {
    if (!span) return 0;
    const { organization_id, key_id, user_id } = span;
    const ofKey = KEY_SPANS_MAX - (sent.get(key_id || user_id) ?? 0);
    return Math.max(0, Math.min(ofKey, ORGANIZATION_SPANS_MAX - (sent.get(organization_id) ?? 0)));
  }

  function noteSent(span: Span | undefined, count: number): void {
    if (!span) return;
    for (const id of [span.organization_id, span.key_id || span.user_id]) sent.set(id, (sent.get(id) ?? 0) + count);
  }

  function flush(): Promise<void> {
    if (!running) return start(drain);
    following ??= flushAfterwards();
    return following;
  }

  async function flushAfterwards(): Promise<void> {
    while (running) await running;
    following = undefined;
    return start(drain);
  }

  function start(work: () => Promise<void>): Promise<void> {
    if (work === drain) {
      clearTimeout(timer);
      timer = undefined;
    }
    running ??= outside(work).finally(() => {
      running = undefined;
    });
    return running;
  }

  function schedule(): void {
    if (queue.length >= FLUSH_SPANS && !running) void start(drainOwn);
    timer ??= outside(() => setTimeout(() => void flush(), FLUSH_MS).unref());
  }

  return {
    record(record, costMicros) {
      if (isFull()) return dropped.inc();
      queue.push({ record, costMicros, content: record.content && hold(record.content) });
      schedule();
    },
    work(work) {
      if (isFull()) return dropped.inc();
      queue.push({ work });
      schedule();
    },
    add(spans) {
      const room = Math.max(0, QUEUE_SPANS_MAX - queue.length - received.length);
      const taken = Math.min(spans.length, room, roomOf(spans[0]?.span));
      for (const { span, content } of spans.slice(0, taken))
        received.push({ span, content: content && holdReceived(content) });
      if (taken < spans.length) dropped.inc(spans.length - taken);
      noteSent(spans[0]?.span, taken);
      schedule();
      return taken;
    },
    addLogs(rows) {
      const taken = Math.min(rows.length, Math.max(0, QUEUE_SPANS_MAX - lines.length));
      lines.push(...rows.slice(0, taken));
      schedule();
      return taken;
    },
    flush,
    async stop() {
      await flush();
      await flush();
      clearTimeout(timer);
    },
  };
}

function toRow(one: Waiting, priceSource?: (model: string) => string | undefined): Span {
  if ('record' in one) return toSpan(one.record, one.costMicros, priceSource?.(one.record.model));
  return 'work' in one ? toWorkSpan(one.work) : one.span;
}

function contentRow({ workspace_id, start_us, span_id }: Span, content: SpanContent): ContentRow {
  return { workspace_id, start_us, span_id, ...content };
}

function hasContent(one: Waiting): boolean {
  return 'work' in one ? one.work.content !== undefined : one.content !== undefined;
}

function lengthOf(content: SpanContent): number {
  return Object.values(content).reduce((sum, text) => sum + text.length, 0);
}
