import { type Clock, isoMicros } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import { afterCommit, beforeCommit, type Database, type Db, loadSecret, type Tx } from '../kit/db/index.ts';
import { currentRequest } from '../kit/http/index.ts';
import { topicOf } from './follow.ts';
import { GENESIS_HASH, hashEntry, splitHashed } from './hash-entry.ts';
import { pruneChain } from './prune-chain.ts';
import type { ActorType, AuditLogEventType, AuditLogFilters, AuditLogOut, Metadata, TargetType } from './schema.ts';
import { isSignedCheckpoint } from './sign-checkpoint.ts';
import {
  type AuditHead,
  type AuditLogRow,
  advanceHead,
  appendOnPostgres,
  type CheckpointRow,
  findHead,
  findNextOrganization,
  insertEntry,
  listChain,
  listEntries,
  updateHeadHash,
} from './store.ts';
import { type ChainProblem, verifyChain } from './verify-chain.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1000;

/** `actor_user_uuid` filters by `metadata.user_uuid`; for a key it is the key's user. */
export type AuditActor = { type: ActorType; metadata: Metadata };

export type AuditEntry = {
  organization_id: string;
  workspace_id?: string | null | undefined;
  actor: AuditActor;
  event_type: AuditLogEventType;
  event_metadata?: Metadata | undefined;
  target_type: TargetType;
  target_metadata?: Metadata | undefined;
};

/** The content of an entry, without its position in the chain. */
type Content = Omit<AuditLogRow, 'organization_id' | 'log_id' | 'created_at' | 'previous_hash' | 'hash'>;

export type AuditProgress = { organization_id: string; entries: number };

export type AuditVerification =
  | { ok: true; organizations: number; entries: number; heads: AuditHead[] }
  | { ok: false; organization_id: string; log_id: number; problem: ChainProblem };

type VerifyOptions = {
  organizationId?: string | undefined;
  /** Heads that were noted after an earlier run; the chains must still contain them. */
  noted?: readonly AuditHead[] | undefined;
  /** Called after every page with the number of entries checked so far. */
  onProgress?: ((progress: AuditProgress) => void) | undefined;
};

export type AuditService = {
  /** Writes the entry at the end of the transaction, since other writers of the organization wait from there on. */
  record(tx: Tx, entry: AuditEntry): Promise<void>;
  list(db: Db, organizationId: string, filters?: AuditLogFilters): Promise<AuditLogOut[]>;
  /** Stops at the first problem. */
  verify(options?: VerifyOptions): Promise<AuditVerification>;
  /** All entries of the organization in order, with their hashes. */
  export(organizationId: string): AsyncGenerator<AuditLogRow>;
  /** Replaces older entries, of one organization or all, by a signed checkpoint. A broken chain is left as it is. */
  prune(options: PruneOptions): Promise<AuditPruning>;
};

export type PruneOptions = { before: string; actor: AuditActor; organizationId?: string | undefined };
export type AuditPruning = { pruned: number; broken: Extract<AuditVerification, { ok: false }>[] };

export function createAuditService({
  database,
  now,
  pageEntries = 1000,
}: {
  database: Database;
  now: Clock;
  /** How many entries one query of a check or an export reads. */
  pageEntries?: number;
}): AuditService {
  // Loaded only for checkpoints, because creating the secret would write to a backup.
  const secret = () => loadSecret(database, 'audit-checkpoints', now);

  async function record(tx: Tx, entry: AuditEntry): Promise<void> {
    const request = currentRequest();
    const content = {
      workspace_id: entry.workspace_id ?? null,
      actor_type: entry.actor.type,
      actor_metadata: storable({ ...entry.actor.metadata, ...(request && { ip_address: request.address }) }),
      event_type: entry.event_type,
      event_metadata: storable({ ...entry.event_metadata, ...(request && { request_id: request.id }) }),
      target_type: entry.target_type,
      target_metadata: storable(entry.target_metadata ?? {}),
    };
    const { organization_id } = entry;
    beforeCommit(tx, 'audit', organization_id, () => append(tx, organization_id, content));
  }

  async function append(tx: Tx, organization_id: string, content: Content): Promise<void> {
    const entry = { organization_id, created_at: isoMicros(now), ...content };
    // Other writers of the organization wait for this transaction, so there it is one round trip. SQLite cannot hash.
    const isAppended = database.kind === 'postgres' && (await appendOnPostgres(tx, entry, splitHashed(entry)));
    if (!isAppended) {
      const { log_id, hash: previous_hash } = await advanceHead(tx, organization_id, GENESIS_HASH);
      const row = { ...entry, log_id };
      const hash = hashEntry(previous_hash, row);
      await insertEntry(tx, { ...row, previous_hash, hash });
      await updateHeadHash(tx, organization_id, hash);
    }
    afterCommit(tx, () => database.wakeups.wake(topicOf(organization_id)));
  }

  async function verify({ organizationId, noted = [], onProgress }: VerifyOptions = {}): Promise<AuditVerification> {
    const heads: AuditHead[] = [];
    let entries = 0;
    for await (const organization_id of organizationId ? [organizationId] : organizationIds(database.db, noted)) {
      const ownNoted = noted.filter((head) => head.organization_id === organization_id);
      const hashes = new Map(ownNoted.map(({ log_id, hash }) => [log_id, hash]));
      const isSigned = async (checkpoint: CheckpointRow) => isSignedCheckpoint(await secret(), checkpoint);
      const verdict = await verifyChain(database.db, organization_id, hashes, isSigned, pageEntries, (count) => {
        entries += count;
        onProgress?.({ organization_id, entries });
      });
      if (!verdict.ok) return { organization_id, ...verdict };
      if (verdict.head) heads.push(verdict.head);
    }
    return { ok: true, organizations: heads.length, entries, heads };
  }

  return {
    record,
    verify,

    list(db, organizationId, { limit = LIMIT_DEFAULT, sort = 'descending', after, before, ...filters } = {}) {
      return listEntries(db, organizationId, {
        ...filters,
        after: after === undefined ? undefined : toStoredTime(after),
        before: before === undefined ? undefined : toStoredTime(before),
        limit: Math.min(Math.max(limit, 0), LIMIT_MAX),
        direction: sort === 'ascending' ? 'asc' : 'desc',
      });
    },

    async *export(organizationId) {
      const last = (await findHead(database.db, organizationId))?.log_id ?? 0;
      for (let after = 0; ; ) {
        const page = await listChain(database.db, organizationId, { after, last, limit: pageEntries });
        yield* page;
        after = page.at(-1)?.log_id ?? last;
        if (after >= last) return;
      }
    },

    async prune({ before, actor, organizationId }) {
      const broken: AuditPruning['broken'] = [];
      let pruned = 0;
      const key = await secret();
      for await (const id of organizationId ? [organizationId] : organizationIds(database.db, [])) {
        const found = await verify({ organizationId: id });
        if (!found.ok) {
          broken.push(found);
          continue;
        }
        const ports = {
          database,
          now,
          secret: key,
          record: (tx: Tx, organization_id: string, event_metadata: Metadata) =>
            record(tx, {
              organization_id,
              actor,
              event_type: 'audit_log.prune',
              event_metadata,
              target_type: 'AUDIT_LOG',
            }),
        };
        pruned += await pruneChain(ports, id, toStoredTime(before));
      }
      return { pruned, broken };
    },
  };
}

async function* organizationIds(db: Db, noted: readonly AuditHead[]): AsyncGenerator<string> {
  // An organization whose whole chain was deleted appears only in the noted heads.
  const deleted = new Set(noted.map(({ organization_id }) => organization_id));
  for (let id = await findNextOrganization(db, ''); id !== undefined; id = await findNextOrganization(db, id)) {
    deleted.delete(id);
    yield id;
  }
  yield* deleted;
}

// The last word counts: `api_key` is secret; `api_key_id`, `key_name` and `prompt_tokens` are not.
const SECRET_NAME = /(^|[^a-z])(key|secret|password|token)$/;

function storable(metadata: Metadata): Metadata {
  const entries = Object.entries(metadata).map(([key, value]) => [toStoredText(key), toStoredText(value)] as const);
  for (const [key] of entries) {
    if (SECRET_NAME.test(key.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase())) {
      throw new Error(
        `Audit metadata may not hold "${key}": entries are never deleted. Record an id or a name instead.`,
      );
    }
  }
  return Object.fromEntries(entries);
}

// PostgreSQL cannot store NUL or lone surrogates in JSON.
function toStoredText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** The format of `created_at`, which sorts as text. A time without an offset is UTC. */
function toStoredTime(text: string): string {
  const hasOffset = /(z|[+-]\d\d:?\d\d)$/i.test(text);
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? [];
  const millis = new Date(hasOffset ? text : `${text}Z`).toISOString();
  return millis.replace('Z', `${fraction.padEnd(6, '0').slice(3, 6)}Z`);
}

const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION = { type: 'OTHER', metadata: { name: 'retention' } } as const;

/** Deletes entries older than this many days, and logs each organization whose log is broken and was left alone. */
export async function enforceRetention(
  { audit, now, log }: { audit: AuditService; now: Clock; log: Logger },
  days: number,
): Promise<void> {
  const before = new Date(now() - days * DAY_MS).toISOString();
  const { broken } = await audit.prune({ before, actor: RETENTION });
  for (const { organization_id, log_id, problem } of broken)
    log.error({ organization_id, log_id, problem }, 'The audit log is broken; none of its entries were deleted.');
}
