import { sql } from 'kysely';
import { type Db, isMissingTable, type Tx } from '../kit/db/index.ts';
import type { ActorType, AuditLogEventType, AuditLogFilters, AuditLogOut, Metadata, TargetType } from './schema.ts';

export type AuditHead = { organization_id: string; log_id: number; hash: string };

export type AuditLogRow = {
  organization_id: string;
  log_id: number;
  workspace_id: string | null;
  created_at: string;
  actor_type: ActorType;
  actor_metadata: Metadata;
  event_type: AuditLogEventType;
  event_metadata: Metadata;
  target_type: TargetType;
  target_metadata: Metadata;
  previous_hash: string;
  hash: string;
};

/** The last pruned entry of a chain, signed. The chain continues from here. */
export type CheckpointRow = AuditHead & { created_at: string; signature: string };

declare module '../kit/db/tables.ts' {
  interface Tables {
    audit_heads: AuditHead;
    audit_logs: AuditLogRow;
    audit_checkpoints: CheckpointRow;
  }
}

/**
 * Takes the organization's next number; the returned hash is that of the previous entry. On PostgreSQL the row stays locked
 * until the transaction ends, so the writers of an organization take turns and leave no gap.
 */
export function advanceHead(tx: Tx, organizationId: string, firstHash: string): Promise<AuditHead> {
  return tx
    .insertInto('audit_heads')
    .values({ organization_id: organizationId, log_id: 1, hash: firstHash })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet({ log_id: sql<number>`audit_heads.log_id + 1` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

type NewEntry = Omit<AuditLogRow, 'log_id' | 'previous_hash' | 'hash'>;

/**
 * The whole append in one statement of PostgreSQL, which computes the hash: `hashed` is the text before and after the
 * number. False when the organization has no head yet. The lock makes the writers of an organization take turns.
 */
export async function appendOnPostgres(tx: Tx, entry: NewEntry, hashed: [string, string]): Promise<boolean> {
  const [before, after] = hashed;
  const json = (metadata: Metadata) => sql`${JSON.stringify(metadata)}::json`;
  const { rows } = await sql`
    with head as (
      select log_id + 1 as log_id, hash as previous_hash from audit_heads
      where organization_id = ${entry.organization_id} for update
    ), entry as (
      insert into audit_logs (
        organization_id, log_id, workspace_id, created_at, actor_type, actor_metadata, event_type, event_metadata,
        target_type, target_metadata, previous_hash, hash
      )
      select ${entry.organization_id}, log_id, ${entry.workspace_id}, ${entry.created_at}, ${entry.actor_type},
        ${json(entry.actor_metadata)}, ${entry.event_type}, ${json(entry.event_metadata)}, ${entry.target_type},
        ${json(entry.target_metadata)}, previous_hash,
        encode(sha256(convert_to(previous_hash || ${before}::text || log_id || ${after}::text, 'UTF8')), 'hex')
      from head
      returning organization_id, log_id, hash
    )
    update audit_heads set log_id = entry.log_id, hash = entry.hash
    from entry where audit_heads.organization_id = entry.organization_id
    returning entry.log_id`.execute(tx);
  return rows.length > 0;
}

export async function updateHeadHash(tx: Tx, organizationId: string, hash: string): Promise<void> {
  await tx.updateTable('audit_heads').set({ hash }).where('organization_id', '=', organizationId).execute();
}

export async function insertEntry(tx: Tx, row: AuditLogRow): Promise<void> {
  await tx.insertInto('audit_logs').values(row).execute();
}

type EntryQuery = Omit<AuditLogFilters, 'limit' | 'sort'> & { limit: number; direction: 'asc' | 'desc' };

export function listEntries(db: Db, organizationId: string, filters: EntryQuery): Promise<AuditLogOut[]> {
  const { limit, direction, actor_type, event_type, target_type, actor_user_uuid, after, before, workspace } = filters;
  return (
    db
      .selectFrom('audit_logs')
      .select(['created_at', 'actor_type', 'actor_metadata', 'event_type', 'event_metadata', 'target_type'])
      .select(['target_metadata', 'log_id', 'organization_id as organization_uuid', 'workspace_id as workspace_uuid'])
      .where('organization_id', '=', organizationId)
      .$if(!!actor_type?.length, (query) => query.where('actor_type', 'in', actor_type ?? []))
      .$if(!!event_type?.length, (query) => query.where('event_type', 'in', event_type ?? []))
      .$if(!!target_type?.length, (query) => query.where('target_type', 'in', target_type ?? []))
      // Must match the index audit_logs_by_actor literally, or it is not used.
      .$if(actor_user_uuid !== undefined, (query) =>
        query.where(sql<string>`actor_metadata ->> 'user_uuid'`, '=', actor_user_uuid ?? ''),
      )
      .$if(after !== undefined, (query) => query.where('created_at', '>', after ?? ''))
      .$if(before !== undefined, (query) => query.where('created_at', '<', before ?? ''))
      .$if(workspace !== undefined, (query) => query.where('workspace_id', '=', workspace ?? ''))
      .orderBy('created_at', direction)
      .orderBy('log_id', direction)
      .limit(limit)
      .execute()
  );
}

export function findHead(db: Db, organizationId: string): Promise<AuditHead | undefined> {
  return db.selectFrom('audit_heads').selectAll().where('organization_id', '=', organizationId).executeTakeFirst();
}

/** The distinct event types and workspaces of a range of entries. */
export function listChangesBetween(db: Db, organizationId: string, { after, last }: { after: number; last: number }) {
  return db
    .selectFrom('audit_logs')
    .select(['event_type', 'workspace_id'])
    .distinct()
    .where('organization_id', '=', organizationId)
    .where('log_id', '>', after)
    .where('log_id', '<=', last)
    .execute();
}

type LogIdQuery = { order?: 'asc' | 'desc'; since?: string };

/** The first or last entry, of those not older than `since`; with a clock set back, later ones may be older. */
export async function findLogId(db: Db, organizationId: string, { order = 'asc', since }: LogIdQuery = {}) {
  const row = await db
    .selectFrom('audit_logs')
    .select('log_id')
    .where('organization_id', '=', organizationId)
    .$if(since !== undefined, (query) => query.where('created_at', '>=', since ?? ''))
    .orderBy('log_id', order)
    .limit(1)
    .executeTakeFirst();
  return row?.log_id;
}

type ChainRange = { after: number; last: number; limit: number };

export function listChain(db: Db, organizationId: string, { after, last, limit }: ChainRange): Promise<AuditLogRow[]> {
  return db
    .selectFrom('audit_logs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('log_id', '>', after)
    .where('log_id', '<=', last)
    .orderBy('log_id')
    .limit(limit)
    .execute();
}

export async function hasHash(db: Db, organizationId: string, hash: string): Promise<boolean> {
  const query = db.selectFrom('audit_logs').select('log_id').where('organization_id', '=', organizationId);
  return (await query.where('hash', '=', hash).limit(1).executeTakeFirst()) !== undefined;
}

/** The next organization in the order of ids that has a head or entries. */
export async function findNextOrganization(db: Db, after: string): Promise<string | undefined> {
  const next = (table: 'audit_heads' | 'audit_logs') =>
    db
      .selectFrom(table)
      .select('organization_id')
      .where('organization_id', '>', after)
      .orderBy('organization_id')
      .limit(1)
      .executeTakeFirst();
  const found = [await next('audit_heads'), await next('audit_logs')];
  return found.flatMap((row) => row?.organization_id ?? []).sort()[0];
}

/** A backup of an older version has no such table. */
export function findCheckpoint(db: Db, organizationId: string): Promise<CheckpointRow | undefined> {
  return db
    .selectFrom('audit_checkpoints')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
    .catch((error: unknown) => {
      if (isMissingTable(error)) return undefined;
      throw error;
    });
}

/** Inserts or moves the checkpoint of the organization. */
export async function updateCheckpoint(tx: Tx, row: CheckpointRow): Promise<void> {
  const { organization_id: _, ...moved } = row;
  await tx
    .insertInto('audit_checkpoints')
    .values(row)
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(moved))
    .execute();
}

export async function deleteEntriesUpTo(tx: Tx, organizationId: string, logId: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('audit_logs')
    .where('organization_id', '=', organizationId)
    .where('log_id', '<=', logId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export function findEntryHash(db: Db, organizationId: string, logId: number) {
  return db
    .selectFrom('audit_logs')
    .select('hash')
    .where('organization_id', '=', organizationId)
    .where('log_id', '=', logId)
    .executeTakeFirst();
}
