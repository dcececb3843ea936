import { subscribe } from 'node:diagnostics_channel';
import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Platform } from '../../../src/compose/open-platform.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/kit/base/clock.ts';
import { releaseWhenQuiet, tuneCollector } from '../../../src/kit/base/tune-collector.ts';
import { statementChannel } from '../../../src/kit/db/index.ts';
import { createEvents, type StoredEvent, toSse } from '../../../src/kit/events/index.ts';
import { route, sse } from '../../../src/kit/http/index.ts';
import { startServer } from '../../../src/main.ts';
import { answer } from './answer.ts';

// The real server with its production settings on the data dir in the environment, plus one route: a tail of any
// stream.
const GC_ROUNDS = 5;
const GC_PAUSE_MS = 200;
let openStreams = 0;
const statements = new Map<string, number>();
let append: (stream: string, at: number) => Promise<unknown> = async () => undefined;

async function* frames(tail: AsyncIterable<StoredEvent>) {
  openStreams++;
  try {
    for await (const event of tail) yield toSse(event);
  } finally {
    openStreams--;
  }
}

function streamRoutes({ database }: Platform) {
  const events = createEvents({ database, now: systemClock });
  append = (stream, at) => database.transaction((tx) => events.append(tx, stream, [{ type: 'at', data: { at } }]));
  return [
    route({
      method: 'GET',
      path: '/bench/streams/:stream',
      operationId: 'bench_stream',
      summary: 'Tail a stream',
      permission: 'identity:read',
      params: z.strictObject({ stream: z.string() }),
      handler: ({ params, signal }) => sse(frames(events.tail(params.stream, { signal }))),
    }),
  ];
}

tuneCollector();
// A download of the default models would disturb the measurement.
const settings = { TRAMONTANE_PORT: '0', TRAMONTANE_AUTO_PULL: 'off', TRAMONTANE_CONSOLE: 'off', ...process.env };
const server = await startServer(loadConfig(settings), { extraRoutes: streamRoutes });

// The next server on this cache starts like a real one: without the compiler in its memory.
flushCompileCache();

// A CPU profile is only written by a process that exits by itself.
process.on('SIGTERM', () => process.exit());

answer({
  address: () => ({
    port: Number(new URL(server.url).port),
    key: server.bootstrap.created ? server.bootstrap.apiKey : '',
  }),
  cpuMicros: () => cpuMicros(),
  memory: () => process.memoryUsage(),
  /** From here on, as `tramontane start` does. */
  rest: () => releaseWhenQuiet(),
  countStatements: () =>
    subscribe(statementChannel.name, (message) => {
      const { sql } = message as { sql: string };
      statements.set(sql, (statements.get(sql) ?? 0) + 1);
    }),
  /** What was sent to the database since the last call. */
  statements() {
    const byText = [...statements].sort(([, a], [, b]) => b - a);
    statements.clear();
    return { count: byText.reduce((sum, [, count]) => sum + count, 0), byText };
  },
  openStreams: () => openStreams,
  /** Appends an event with the current time; readers on other servers compute its age. */
  append: async ({ stream, count, paceMs }: { stream: string; count: number; paceMs: number }) => {
    for (let i = 0; i < count; i++) {
      await append(stream, performance.timeOrigin + performance.now());
      await delay(paceMs);
    }
  },
  // Finalizers and freed pages take a few turns of the event loop; needs --expose-gc.
  settle: async () => {
    for (let i = 0; i < GC_ROUNDS; i++) {
      globalThis.gc?.();
      await delay(GC_PAUSE_MS);
    }
  },
});

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
