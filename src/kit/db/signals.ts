import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { lookForEach } from './looks.ts';
import { forgetReaders, isAnyReaderBehind, noteReader } from './signal-readers.ts';
import type { Tx } from './tables.ts';
import { afterCommit, beforeCommit } from './transaction-context.ts';

declare module './tables.ts' {
  interface Tables {
    signals: { name: string; version: number };
  }
}

const TRUST_MS = 1000;
const SPREAD_LOOK_MS = 8;

const signalVersions = lookForEach(sql`(select version from signals where name = look.key)`);

/** Reloads what is cached; the change counts as read when the promise resolves. */
type Listener = () => void | Promise<void>;

/**
 * Invalidates caches in memory. Writers raise the signal's version in their transaction; every process looks at it and
 * drops its cache when it moved. While the database does not respond, `isFresh()` is false and the cache must not be used.
 *
 * On PostgreSQL a change resolves once every connected process has applied it, or can no longer trust its cache.
 */
export type Signal = {
  /** Takes effect with the transaction's commit. */
  raise(tx: Tx): void;
  isFresh(): boolean;
  /** Whether data read at that time is as recent as `isFresh()` requires. */
  isYoung(askedAtMs: number): boolean;
  onChange(listener: Listener): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export function createSignal(database: Database, name: string, now: () => number): Signal {
  const { db, kind, wakeups, looks } = database;
  const listeners: Listener[] = [];
  const topic = `signal:${name}`;
  let version = -1;
  let heardAt = Number.NEGATIVE_INFINITY;
  let noted: { reader: string; version: number } | undefined;
  let stopped = false;
  let reading: Promise<void> | undefined;
  let readAgain = false;
  let unfollow = () => {};
  const isYoung = (askedAtMs: number) => now() - askedAtMs < TRUST_MS;

  async function tell(): Promise<void> {
    await Promise.all(listeners.map((listener) => listener()));
  }

  async function read(): Promise<void> {
    const askedAt = now();
    const row = await db.selectFrom('signals').select('version').where('name', '=', name).executeTakeFirst();
    await take(row?.version ?? 0, askedAt);
  }

  async function take(seen: number, askedAt: number): Promise<void> {
    if (seen !== version) {
      await tell();
      // Not earlier: a reload that failed is tried again at the next look.
      version = seen;
    }
    if (kind === 'postgres') await note(seen);
    // The result is as old as the start of the query.
    heardAt = askedAt;
  }

  const isNoted = (seen: number, reader: string | undefined) =>
    reader === undefined || (noted?.reader === reader && noted.version === seen);

  /** From here on, changes wait for this process. */
  async function note(seen: number): Promise<void> {
    const reader = wakeups.hearsAs();
    if (reader === undefined || isNoted(seen, reader)) return;
    await noteReader(db, reader, name, seen);
    noted = { reader, version: seen };
  }

  // A failed read leaves heardAt unchanged, so isFresh() turns false.
  function readQuietly(): Promise<void> {
    readAgain = true;
    reading ??= readWhileAsked();
    return reading;
  }

  async function readWhileAsked(): Promise<void> {
    while (readAgain && !stopped) {
      readAgain = false;
      await read().catch(() => undefined);
    }
    reading = undefined;
  }

  function look(): (seen: number | undefined) => void {
    const askedAt = now();
    return (seen = 0) => {
      // What is being read, or was read meanwhile, is more recent.
      if (stopped || reading || seen < version) return;
      if (seen === version && (kind === 'sqlite' || isNoted(seen, wakeups.hearsAs()))) {
        heardAt = askedAt;
        return;
      }
      reading = take(seen, askedAt)
        .catch(() => undefined)
        .then(readWhileAsked);
    };
  }

  /** After this time no process trusts its cache any more. */
  async function spread(raised: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < TRUST_MS; waitedMs += SPREAD_LOOK_MS) {
      // When the database does not respond, the time alone decides.
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
      // This process must not serve one more request from its cache.
      const told = tell().then(
        () => {
          // Already applied, unless others came in between.
          if (version === raised.version - 1) version = raised.version;
        },
        // A failed reload is tried again at the next look, because the version still differs.
        () => undefined,
      );
      wakeups.wake(topic);
      if (kind === 'postgres') await spread(raised.version);
      await told;
    });
  }

  return {
    raise: (tx) => beforeCommit(tx, 'signal', name, () => raise(tx)),
    // On PostgreSQL only while changes of other processes wait for this one.
    isFresh: () =>
      isYoung(heardAt) && (kind === 'sqlite' || (noted !== undefined && noted.reader === wakeups.hearsAs())),
    isYoung,
    onChange: (listener) => {
      listeners.push(listener);
    },
    async start() {
      await wakeups.ready();
      if (kind === 'postgres') await forgetReaders(db);
      await readQuietly();
      unfollow = looks.follow(signalVersions, name, look);
    },
    async stop() {
      stopped = true;
      unlisten();
      unfollow();
      await reading;
    },
  };
}
