import { type Selectable, sql } from 'kysely';
import type { Database, Tables, Tx } from '../../db/index.ts';
import { reviveDue } from './revive-due.ts';

type Row = Selectable<Tables['tasks']>;

export type ClaimedTask = Omit<Row, 'state' | 'due_ms'> & { leased_until_ms: number };

export type ClaimOptions = { limit: number; leaseMs: number };

/** Takes up to `limit` due tasks, by priority, then time, then id. No other claim gets them while the lease lasts. */
export function claimDue(
  database: Database,
  queue: string,
  { limit, leaseMs, nowMs }: ClaimOptions & { nowMs: number },
): Promise<ClaimedTask[]> {
  const leased_until_ms = nowMs + leaseMs;
  return database.transaction(async (tx) => {
    await reviveDue(tx, database.kind, queue, nowMs);
    const rows = await leaseReady(tx, database.kind, queue, limit, leased_until_ms);
    return rows.sort(byTurn).map(({ state: _state, due_ms: _due, ...row }) => ({ ...row, leased_until_ms }));
  });
}

// Materialized, because a planner that ran the inner query twice would take more tasks than the limit.
function leaseReady(tx: Tx, kind: Database['kind'], queue: string, limit: number, untilMs: number): Promise<Row[]> {
  return tx
    .with(
      (cte) => cte('picked').materialized(),
      (from) =>
        from
          .selectFrom('tasks')
          .select('id')
          .where('queue', '=', queue)
          .where('state', '=', 'ready')
          .orderBy('priority')
          .orderBy('run_at_ms')
          .orderBy('id')
          .limit(limit)
          .$if(kind === 'postgres', (query) => query.forUpdate().skipLocked()),
    )
    .updateTable('tasks')
    .set({ state: 'running', due_ms: untilMs, attempt: sql`attempt + 1`, lease_token: sql`lease_token + 1` })
    .where('id', 'in', (from) => from.selectFrom('picked').select('id'))
    .returningAll()
    .execute();
}

function byTurn(a: Row, b: Row): number {
  return a.priority - b.priority || a.run_at_ms - b.run_at_ms || (a.id < b.id ? -1 : 1);
}
