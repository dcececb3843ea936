import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import { monthOf, monthStartMs } from '../calendar.ts';
import { type Budget, type LimitScope, limitScopeId, limitScopeKinds, type Payer } from '../schema.ts';
import { findSpentMicros } from '../store/usage.ts';
import type { Ledger } from './ledger.ts';

const TRUST_MS = 1000;
const ENTRIES_MAX = 10_000;

type Entry = { month: string; micros: number; readAtMs: number };

/**
 * What each scope with a budget has spent this month. Usage of this process counts at once, that of other processes within
 * two seconds: their flush and our next read.
 */
export type Budgets = {
  /** From memory; undefined when it must be read from the database first. */
  isSpentNow(budget: Budget, nowMs: number): boolean | undefined;
  isSpent(budget: Budget): Promise<boolean>;
  add(payer: Payer, micros: number): void;
};

export function createBudgets(ports: { database: Database; ledger: Ledger; now: Clock }): Budgets {
  const { database, ledger, now } = ports;
  const entries = new Map<string, Entry>();
  const reading = new Map<string, Promise<Entry>>();

  async function read(budget: Budget, id: string): Promise<Entry> {
    const readAtMs = now();
    const month = monthOf(readAtMs);
    const flushed = await findSpentMicros(database.db, budget, month);
    const micros = flushed + ledger.unflushedMicros(budget, monthStartMs(readAtMs));
    const entry = { month, micros, readAtMs };
    if (entries.size >= ENTRIES_MAX) entries.clear();
    entries.set(id, entry);
    return entry;
  }

  function readOnce(budget: Budget): Promise<Entry> {
    const id = idOf(budget);
    const running = reading.get(id);
    if (running) return running;
    const started = read(budget, id).finally(() => reading.delete(id));
    reading.set(id, started);
    return started;
  }

  return {
    isSpentNow(budget, nowMs) {
      const entry = entries.get(idOf(budget));
      if (!entry || nowMs - entry.readAtMs >= TRUST_MS || entry.month !== monthOf(nowMs)) return undefined;
      return entry.micros >= budget.micros;
    },
    isSpent: async (budget) => (await readOnce(budget)).micros >= budget.micros,
    add(payer, micros) {
      if (micros === 0 || entries.size === 0) return;
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
