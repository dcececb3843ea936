import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import SqliteConnection from 'better-sqlite3';
import { migrations } from '../../../migrations/index.ts';
import { migrate, openDatabase } from '../../../src/kit/db/index.ts';
import { answer } from './answer.ts';

export type Commits = { perSecond: number; stallMs: number };

// Each transaction inserts one event and counts once it is on disk.
const [kind = 'kit', file = ''] = process.argv.slice(2);
const DATA = JSON.stringify({ text: 'x'.repeat(200) });
const CREATED_AT = new Date().toISOString();
const COMMITS_MAX = 1_000_000;
const NANOS_PER_MS = 1e6;
let seq = 0;

const database = await openDatabase({ kind: 'sqlite', file });
await migrate(database, migrations, '0.1.0', CREATED_AT);
const commit = kind === 'plain' ? await openPlain() : commitThroughKit;

answer({
  async write({ writers, durationMs }: { writers: number; durationMs: number }): Promise<Commits> {
    const delays = monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
    const startedAt = performance.now();
    let count = 0;
    const write = async () => {
      while (performance.now() - startedAt < durationMs && count < COMMITS_MAX) {
        await commit();
        count++;
        // As in a server: the next request is a turn of the event loop away.
        await nextTurn();
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
    const elapsedMs = performance.now() - startedAt;
    delays.disable();
    return { perSecond: (count / elapsedMs) * 1000, stallMs: delays.max / NANOS_PER_MS };
  },
});

async function commitThroughKit(): Promise<void> {
  await database.transaction(async (tx) => {
    await tx
      .insertInto('whole_events')
      .values({ stream: 'bench', seq: ++seq, type: 'said', data: DATA, created_at: CREATED_AT })
      .execute();
  });
}

async function openPlain(): Promise<() => void> {
  await database.close();
  const connection = new SqliteConnection(file);
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  const insert = connection.prepare(
    'insert into whole_events (stream, seq, type, data, created_at) values (?, ?, ?, ?, ?)',
  );
  return connection.transaction(() => void insert.run('bench', ++seq, 'said', DATA, CREATED_AT)).immediate;
}
