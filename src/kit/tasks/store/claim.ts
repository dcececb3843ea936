import { type Selectable, sql } from 'kysely';
import type { Database, Tables, Tx } from '../../db/index.ts';
import { reviveDue } from './revive-due.ts';

type Row = Selectable<Tables['tasks']>;

export type ClaimedTask = Omit<Row, 'state' | 'due_ms'> & { leased_until_ms: number };

/** Tasks of one organization, and of one of its keys, that run at the same time on all servers. */
export type Turns = { perTenantMax: number; perKeyMax: number };

export type ClaimOptions = {
  limit: number;
  leaseMs: number;
  turns?: Turns | undefined;
  /** The caller has just read that something is. */
  isDue?: boolean;
};

/**
 * Takes up to `limit` due tasks, by priority, then time, then id. No other claim gets them while the lease lasts. With
 * `turns`, the organization with the fewest running tasks is first, and within it the key with the fewest.
 */
export function claimDue(
  database: Database,
  queue: string,
  { limit, leaseMs, nowMs, turns }: ClaimOptions & { nowMs: number },
): Promise<ClaimedTask[]> {
  const leased_until_ms = nowMs + leaseMs;
  return database.transaction(async (tx) => {
    await reviveDue(tx, database.kind, queue, nowMs);
    const rows = await leaseReady(tx, database.kind, queue, limit, leased_until_ms, turns);
    return rows.sort(byTurn).map(({ state: _state, due_ms: _due, ...row }) => ({ ...row, leased_until_ms }));
  });
}

// Materialized, because a planner that ran the inner query twice would take more tasks than the limit.
function leaseReady(
  tx: Tx,
  kind: Database['kind'],
  queue: string,
  limit: number,
  untilMs: number,
  turns: Turns | undefined,
): Promise<Row[]> {
  return tx
    .with(
      (cte) => cte('picked').materialized(),
      (from) =>
        from
          .selectFrom('tasks')
          .select('id')
          .where('queue', '=', queue)
          .where('state', '=', 'ready')
          .$if(turns !== undefined, (query) => query.where('id', 'in', nextInTurn(queue, limit, turns as Turns)))
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

// A task without a tenant is on its own. Running tasks count first, so that nobody begins who has enough.
function nextInTurn(queue: string, limit: number, { perTenantMax, perKeyMax }: Turns) {
  return sql<string>`(
    select id from (
      select id, tenant_turn, row_number() over (order by tenant_turn, priority, run_at_ms, id) as place from (
        select id, priority, run_at_ms, state, row_number() over (
          partition by owner order by state desc, key_turn, priority, run_at_ms, id
        ) as tenant_turn from (
          select id, priority, run_at_ms, state, coalesce(tenant, id) as owner, row_number() over (
            partition by coalesce(tenant, id), tenant_key order by state desc, priority, run_at_ms, id
          ) as key_turn from tasks where queue = ${queue} and state in ('ready', 'running')
        ) as by_key where state = 'running' or key_turn <= ${perKeyMax}
      ) as by_tenant where state = 'ready' and tenant_turn <= ${perTenantMax}
    ) as placed where place <= ${limit}
  )`;
}

function byTurn(a: Row, b: Row): number {
  return a.priority - b.priority || a.run_at_ms - b.run_at_ms || (a.id < b.id ? -1 : 1);
}
