import { subscribe } from 'node:diagnostics_channel';
import { existsSync, readFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Platform } from '../../src/compose/open-platform.ts';
import { loadConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/kit/base/clock.ts';
import { statementChannel } from '../../src/kit/db/index.ts';
import { createEvents, type StoredEvent, toSse } from '../../src/kit/events/index.ts';
import { route, sse } from '../../src/kit/http/index.ts';
import { startServer } from '../../src/main.ts';

// The real server in a process of its own, which counts what it does: nothing of its clients is counted with it.
export type Counted = { bytes: number; calls: number; statements: string[]; collections: number };
export type Question = { ask: 'address' } | { ask: 'begin' } | { ask: 'held' } | { ask: 'end'; isMetered: boolean };

const IO = '/proc/self/io';
/** Known to the test, which compares them with what was counted. */
const WASTED_NUMBERS = 2048;
/** The ledger and the spans are written once a second. */
const WRITTEN_MS = 1100;
const QUIET_MS = 10;
const FREED_MS = 100;
/** Half of the young generation that counted-server.ts asks for. */
const ROOM_BYTES = 64 * 1024 * 1024;

let collections = 0;
let collectedBytes = Number.NEGATIVE_INFINITY;
let texts: string[] = [];
const before = { bytes: 0, calls: 0 };

/** What JavaScript has allocated; without a collection in between it only grows. */
const countBytes = (): number => getHeapStatistics().used_heap_size + process.memoryUsage().arrayBuffers;

/** Reads and writes of all threads: of sockets, files and pipes. Only Linux tells. */
function countCalls(): number {
  if (!existsSync(IO)) return 0;
  const [, reads, writes] = /syscr: (\d+)\nsyscw: (\d+)/.exec(readFileSync(IO, 'utf8')) ?? [];
  return Number(reads) + Number(writes);
}

let wasted: number[] = [];

async function* frames(tail: AsyncIterable<StoredEvent>) {
  for await (const event of tail) yield toSse(event);
}

function wastingRoutes({ database }: Platform) {
  const events = createEvents({ database, now: systemClock });
  const get = (path: string, handler: () => Promise<Record<string, never>>) =>
    route({
      method: 'GET',
      path,
      operationId: path.slice(1),
      summary: 'Known work',
      permission: 'identity:read',
      response: z.object({}),
      handler,
    });
  return [
    route({
      method: 'GET',
      path: '/wait/:stream',
      operationId: 'wait',
      summary: 'A stream without events',
      permission: 'identity:read',
      params: z.strictObject({ stream: z.string() }),
      handler: ({ params, signal }) => sse(frames(events.tail(params.stream, { signal }))),
    }),
    get('/thrift', async () => ({})),
    get('/waste', async () => {
      wasted = Array.from({ length: WASTED_NUMBERS }, () => 1);
      readFileSync('/dev/null');
      await sql`select ${wasted.length} as wasted`.execute(database.db);
      return {};
    }),
  ];
}

/** Nothing is collected within a series, and buffers that a collection found are freed a while after it. */
async function collectInTime(): Promise<void> {
  if (countBytes() < collectedBytes + ROOM_BYTES) return;
  globalThis.gc?.();
  await delay(FREED_MS);
  collectedBytes = countBytes();
}

const answers = {
  address: async () => ({ url: server.url, key: server.bootstrap.created ? server.bootstrap.apiKey : '' }),
  /** What is in use of the heap. */
  async held(): Promise<number> {
    for (let round = 0; round < 2; round++) {
      globalThis.gc?.();
      await delay(FREED_MS);
    }
    return getHeapStatistics().used_heap_size;
  },
  async begin() {
    await collectInTime();
    collections = 0;
    texts = [];
    before.calls = countCalls();
    before.bytes = countBytes();
  },
  async end(isMetered: boolean): Promise<Counted> {
    if (isMetered) await delay(WRITTEN_MS);
    for (let known = -1; known < texts.length; await delay(QUIET_MS)) known = texts.length;
    const bytes = countBytes() - before.bytes;
    const calls = countCalls() - before.calls;
    // A collection is reported a turn later.
    await delay(1);
    return { bytes, calls, statements: texts, collections };
  },
};

new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ['gc'] });
subscribe(statementChannel.name, (message) => void texts.push((message as { sql: string }).sql));
const server = await startServer(loadConfig(process.env), { extraRoutes: wastingRoutes });
process.on('disconnect', () => process.exit());
process.on('message', async (question: Question) => {
  process.send?.((await (question.ask === 'end' ? answers.end(question.isMetered) : answers[question.ask]())) ?? null);
});
