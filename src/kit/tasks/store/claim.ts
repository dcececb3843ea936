import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Tables, Tx } from '../../db/index.ts';
import type { QuarantinedTask } from './quarantine.ts';
import { reviveDue } from './revive-due.ts';

type Row = Selectable<Tables['tasks']>;

/** What concerns the queue alone. */
type Kept = 'state' | 'due_ms' | 'is_beside_trial' | 'quarantined_ms' | 'is_reported';
export type ClaimedTask = Omit<Row, Kept> & { leased_until_ms: number };

const COLUMNS = [
  ...(['id', 'queue', 'payload', 'priority', 'run_at_ms', 'repeat_ms', 'attempt', 'attempts_max'] as const),
  ...(['lease_token', 'dedupe_key', 'tenant', 'tenant_key', 'last_error', 'created_at', 'deaths'] as const),
];

/** Tasks of one organization, and of one of its keys, that run at the same time on all servers. */
export type Turns = { perTenantMax: number; perKeyMax: number };

export type ClaimOptions = {
  limit: number;
  leaseMs: number;
  turns?: Turns | undefined;
  /** The caller has just read that something is. */
  isDue?: boolean;
  /** Only tasks that saw so many deaths of their process; 2 also stands for more. Left out, all. */
  deaths?: 0 | 1 | 2;
  /** Called in the transaction that quarantines a task. */
  onQuarantine?: (tx: Tx, task: QuarantinedTask) => Promise<void>;
};

/**
 * Takes up to `limit` due tasks, by priority, then time, then id. No other claim gets them while the lease lasts. With
 * `turns`, the organization with the fewest running tasks is first, and within it the key with the fewest.
 */
export function claimDue(
  database: Database,
  queue: string,
  { limit, leaseMs, nowMs, turns, deaths, onQuarantine }: ClaimOptions & { nowMs: number },
): Promise<ClaimedTask[]> {
  const leased_until_ms = nowMs + leaseMs;
  return database.transaction(async (tx) => {
    for (const task of await reviveDue(tx, database.kind, queue, nowMs)) await onQuarantine?.(tx, task);
    const rows = await leaseReady(tx, database.kind, queue, limit, leased_until_ms, turns, suspicionOf(deaths));
    return rows.sort(byTurn).map((row) => ({ ...row, leased_until_ms }));
  });
}

function suspicionOf(deaths: ClaimOptions['deaths']): RawBuilder<boolean> {
  if (deaths === undefined) return sql`true`;
  return deaths === 2 ? sql`deaths >= 2` : sql`deaths = ${sql.lit(deaths)}`;
}

// Materialized, because a planner that ran the inner query twice would take more tasks than the limit.
function leaseReady(
  tx: Tx,
  kind: Database['kind'],
  queue: string,
  limit: number,
  untilMs: number,
  turns: Turns | undefined,
  suspicion: RawBuilder<boolean>,
): Promise<Omit<Row, Kept>[]> {
  return tx
    .with(
      (cte) => cte('picked').materialized(),
      (from) =>
        from
          .selectFrom('tasks')
          .select('id')
          .where('queue', '=', queue)
          .where('state', '=', 'ready')
          .where(suspicion)
          .$if(turns !== undefined, (query) =>
            query.where('id', 'in', nextInTurn(queue, limit, turns as Turns, suspicion)),
          )
          .orderBy('priority')
          .orderBy('run_at_ms')
          .orderBy('id')
          .limit(limit)
          .$if(kind === 'postgres', (query) => query.forUpdate().skipLocked()),
    )
    .updateTable('tasks')
    .set({
      ...{ state: 'running', due_ms: untilMs, is_beside_trial: false },
      ...{ attempt: sql`attempt + 1`, lease_token: sql`lease_token + 1` },
    })
    .where('id', 'in', (from) => from.selectFrom('picked').select('id'))
    .returning(COLUMNS)
    .execute();
}

// A task without a tenant is on its own. Running tasks count first, so that nobody begins who has enough.
function nextInTurn(queue: string, limit: number, { perTenantMax, perKeyMax }: Turns, suspicion: RawBuilder<boolean>) {
  return sql<string>`(
    select id from (
      select id, tenant_turn, row_number() over (order by tenant_turn, priority, run_at_ms, id) as place from (
        select id, priority, run_at_ms, state, row_number() over (
          partition by owner order by state desc, key_turn, priority, run_at_ms, id
        ) as tenant_turn from (
          select id, priority, run_at_ms, state, coalesce(tenant, id) as owner, row_number() over (
            partition by coalesce(tenant, id), tenant_key order by state desc, priority, run_at_ms, id
          ) as key_turn from tasks where queue = ${queue} and state in ('ready', 'running') and (state = 'running' or ${suspicion})
        ) as by_key where state = 'running' or key_turn <= ${perKeyMax}
      ) as by_tenant where state = 'ready' and tenant_turn <= ${perTenantMax}
    ) as placed where place <= ${limit}
  )`;
}

function byTurn(a: Omit<Row, Kept>, b: Omit<Row, Kept>): number {
  return a.priority - b.priority || a.run_at_ms - b.run_at_ms || (a.id < b.id ? -1 : 1);
}
