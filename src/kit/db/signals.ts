import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tx } from './tables.ts';
import { afterCommit } from './transaction-context.ts';

declare module './tables.ts' {
  interface Tables {
    signals: { name: string; version: number };
  }
}

const POLL_MS = 400;
const TRUST_MS = 1000;

/**
 * A cache in memory is only as good as its news. Writers raise the signal's version in their transaction;
 * every process reads the version a few times a second and drops its cache when it moved. `isFresh()` tells
 * whether the news is young enough to trust the cache: while the database is silent it is not.
 */
export type Signal = {
  raise(tx: Tx): Promise<void>;
  isFresh(): boolean;
  /** Whether what was asked of the database at that time is as young as the news that `isFresh()` trusts. */
  isYoung(askedAtMs: number): boolean;
  onChange(listener: () => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export function createSignal(database: Database, name: string, now: () => number): Signal {
  const listeners: (() => void)[] = [];
  const topic = `signal:${name}`;
  let version = -1;
  let heardAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let reading: Promise<void> | undefined;
  const isYoung = (askedAtMs: number) => now() - askedAtMs < TRUST_MS;

  async function read(): Promise<void> {
    const askedAt = now();
    const row = await database.db.selectFrom('signals').select('version').where('name', '=', name).executeTakeFirst();
    const seen = row?.version ?? 0;
    if (seen !== version) {
      version = seen;
      for (const listener of listeners) listener();
    }
    // The answer is as old as the question.
    heardAt = askedAt;
  }

  // A failed read leaves heardAt behind, which is how callers learn that the cache is stale.
  function readQuietly(): Promise<void> {
    reading ??= read()
      .catch(() => undefined)
      .finally(() => {
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

  const unlisten = database.wakeups.listen(topic, () => void readQuietly());

  return {
    async raise(tx) {
      await tx
        .insertInto('signals')
        .values({ name, version: 1 })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ version: sql<number>`signals.version + 1` }))
        .execute();
      afterCommit(tx, () => {
        // This process must not serve from its cache for even one more request.
        for (const listener of listeners) listener();
        database.wakeups.wake(topic);
      });
    },
    isFresh: () => isYoung(heardAt),
    isYoung,
    onChange: (listener) => {
      listeners.push(listener);
    },
    start: loop,
    async stop() {
      stopped = true;
      unlisten();
      clearTimeout(timer);
      await reading;
    },
  };
}
