import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import { monthOf, monthStartMs } from '../calendar.ts';
import { type Budget, type LimitScope, limitScopeId, limitScopeKinds, type Payer } from '../schema.ts';
import { findSpentMicros } from '../store/usage.ts';
import type { Ledger } from './ledger.ts';

const TRUST_MS = 1000;
const ENTRIES_MAX = 10_000;
const READS_MAX = 3;

type Entry = { month: string; micros: number; readAtMs: number };

/**
 * What each scope with a budget has spent this month, and what is held for its requests under way. Usage of this process
 * counts at once, that of other processes within two seconds: their flush and our next read.
 */
export type Budgets = {
  /** In millionths, from memory. With a time: undefined when it must be read from the database first. */
  spentNow(budget: Budget, nowMs?: number): number | undefined;
  /** Brings what is in memory up to date. */
  read(budget: Budget): Promise<void>;
  held(budget: Budget): number;
  hold(budget: Budget, micros: number): void;
  release(budget: Budget, micros: number): void;
  add(payer: Payer, micros: number): void;
};

export function createBudgets(ports: { database: Database; ledger: Ledger; now: Clock }): Budgets {
  const { database, ledger, now } = ports;
  const entries = new Map<string, Entry>();
  const reading = new Map<string, Promise<void>>();
  const holds = new Map<string, { micros: number; count: number }>();

  async function read(budget: Budget, id: string): Promise<void> {
    const readAtMs = now();
    const month = monthOf(readAtMs);
    const flushed = await readFlushed(budget, month);
    const micros = flushed + ledger.unflushedMicros(budget, monthStartMs(readAtMs));
    if (entries.size >= ENTRIES_MAX) entries.clear();
    entries.set(id, { month, micros, readAtMs });
  }

  /** A query beside a write of the ledger may see it or not, so it is repeated; a third one is taken as it is. */
  async function readFlushed(budget: Budget, month: string): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const writes = await ledger.awaitWrite();
      const flushed = await findSpentMicros(database.db, budget, month);
      if (ledger.quietWrites() === writes || attempt === READS_MAX) return flushed;
    }
  }

  function spentNow(budget: Budget, nowMs?: number): number | undefined {
    const entry = entries.get(idOf(budget));
    if (nowMs === undefined || !entry) return entry?.micros;
    return nowMs - entry.readAtMs >= TRUST_MS || entry.month !== monthOf(nowMs) ? undefined : entry.micros;
  }

  return {
    spentNow,
    read(budget) {
      if (spentNow(budget, now()) !== undefined) return Promise.resolve();
      const id = idOf(budget);
      const running = reading.get(id);
      if (running) return running;
      const started = read(budget, id).finally(() => reading.delete(id));
      reading.set(id, started);
      return started;
    },
    held: (budget) => holds.get(idOf(budget))?.micros ?? 0,
    hold(budget, micros) {
      const id = idOf(budget);
      const held = holds.get(id);
      if (!held) holds.set(id, { micros, count: 1 });
      else {
        held.micros += micros;
        held.count++;
      }
    },
    release(budget, micros) {
      const id = idOf(budget);
      const held = holds.get(id);
      if (!held) return;
      held.micros -= micros;
      // Back to exactly 0, whatever the rounding errors of the sums were.
      if (--held.count === 0) holds.delete(id);
    },
    add(payer, micros) {
      for (const kind of limitScopeKinds) {
        const entry = entries.get(idOf({ kind, id: limitScopeId(payer, kind) }));
        if (entry) entry.micros += micros;
      }
    },
  };
}

function idOf({ kind, id }: LimitScope): string {
  return `${kind}:${id}`;
}
