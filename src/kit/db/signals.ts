import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { forgetReaders, isAnyReaderBehind, noteReader } from './signal-readers.ts';
import type { Tx } from './tables.ts';
import { afterCommit, beforeCommit } from './transaction-context.ts';

declare module './tables.ts' {
  interface Tables {
    signals: { name: string; version: number };
  }
}

const POLL_MS = 400;
const TRUST_MS = 1000;
const SPREAD_LOOK_MS = 8;

/** What is to be read anew; the news counts as heard when the promise is kept. */
type Listener = () => void | Promise<void>;

/**
 * A cache in memory is only as good as its news. Writers raise the signal's version in their transaction;
 * every process reads the version a few times a second and drops its cache when it moved. `isFresh()` tells
 * whether the news is young enough to trust the cache: while the database is silent it is not.
 *
 * On PostgreSQL a change is acknowledged only when every process that is connected has dropped its cache, or when
 * nobody who did not could trust it any more.
 */
export type Signal = {
  /** With the transaction's commit. */
  raise(tx: Tx): void;
  isFresh(): boolean;
  /** Whether what was asked of the database at that time is as young as the news that `isFresh()` trusts. */
  isYoung(askedAtMs: number): boolean;
  onChange(listener: Listener): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export function createSignal(database: Database, name: string, now: () => number): Signal {
  const { db, kind, wakeups } = database;
  const listeners: Listener[] = [];
  const topic = `signal:${name}`;
  let version = -1;
  let heardAt = Number.NEGATIVE_INFINITY;
  let noted: { reader: string; version: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let reading: Promise<void> | undefined;
  let readAgain = false;
  const isYoung = (askedAtMs: number) => now() - askedAtMs < TRUST_MS;

  async function tell(): Promise<void> {
    await Promise.all(listeners.map((listener) => listener()));
  }

  async function read(): Promise<void> {
    const askedAt = now();
    const row = await db.selectFrom('signals').select('version').where('name', '=', name).executeTakeFirst();
    const seen = row?.version ?? 0;
    if (seen !== version) {
      await tell();
      // Not before: what could not be read anew is tried again at the next look.
      version = seen;
    }
    if (kind === 'postgres') await note(seen);
    // The answer is as old as the question.
    heardAt = askedAt;
  }

  /** From here on whoever changes something waits for this process. */
  async function note(seen: number): Promise<void> {
    const reader = wakeups.hearsAs();
    if (reader === undefined || (noted?.reader === reader && noted.version === seen)) return;
    await noteReader(db, reader, name, seen);
    noted = { reader, version: seen };
  }

  // A failed read leaves heardAt behind, which is how callers learn that the cache is stale.
  function readQuietly(): Promise<void> {
    readAgain = true;
    reading ??= (async () => {
      while (readAgain && !stopped) {
        readAgain = false;
        await read().catch(() => undefined);
      }
    })().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function loop(): Promise<void> {
    await readQuietly();
    if (stopped) return;
    timer = setTimeout(() => void loop(), POLL_MS);
    timer.unref();
  }

  /** After so long nobody trusts what they knew before. */
  async function spread(raised: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < TRUST_MS; waitedMs += SPREAD_LOOK_MS) {
      // When the database cannot tell, the time alone has to do.
      if (!(await isAnyReaderBehind(db, name, raised, noted?.reader ?? '').catch(() => true))) return;
      await pause(SPREAD_LOOK_MS);
    }
  }

  const unlisten = wakeups.listen(topic, () => void readQuietly());

  async function raise(tx: Tx): Promise<void> {
    const raised = await tx
      .insertInto('signals')
      .values({ name, version: 1 })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ version: sql<number>`signals.version + 1` }))
      .returning('version')
      .executeTakeFirstOrThrow();
    afterCommit(tx, async () => {
      // This process must not serve from its cache for even one more request.
      const told = tell().then(
        () => {
          // Not news any more, unless others came between.
          if (version === raised.version - 1) version = raised.version;
        },
        // What could not be read anew is tried again at the next look, as the version still says so.
        () => undefined,
      );
      wakeups.wake(topic);
      if (kind === 'postgres') await spread(raised.version);
      await told;
    });
  }

  return {
    raise: (tx) => beforeCommit(tx, 'signal', name, () => raise(tx)),
    // On PostgreSQL only while changes elsewhere wait for this process.
    isFresh: () =>
      isYoung(heardAt) && (kind === 'sqlite' || (noted !== undefined && noted.reader === wakeups.hearsAs())),
    isYoung,
    onChange: (listener) => {
      listeners.push(listener);
    },
    async start() {
      await wakeups.ready();
      if (kind === 'postgres') await forgetReaders(db);
      await loop();
    },
    async stop() {
      stopped = true;
      unlisten();
      clearTimeout(timer);
      await reading;
    },
  };
}
