import { setImmediate } from 'node:timers/promises';
import type { Db } from '../kit/db/index.ts';
import { GENESIS_HASH, hashEntry } from './hash-entry.ts';
import {
  type AuditHead,
  type AuditLogRow,
  type CheckpointRow,
  findCheckpoint,
  findHead,
  findLogId,
  hasHash,
  listChain,
} from './store.ts';

/**
 * - `altered`: the entry is not the one that was recorded.
 * - `missing`: the entry is missing, but later ones exist.
 * - `reordered`: the entry belongs to another position of the chain.
 * - `truncated`: the chain ends before its head or a noted head.
 * - `head`: the head is missing, behind the entries, or has another hash than the last entry.
 * - `checkpoint`: the checkpoint is not signed by us.
 * - `rebuilt`: the chain is consistent, but does not contain the noted head.
 */
export type ChainProblem = 'altered' | 'missing' | 'reordered' | 'truncated' | 'head' | 'checkpoint' | 'rebuilt';

type ChainVerdict = { ok: true; head: AuditHead | undefined } | { ok: false; log_id: number; problem: ChainProblem };

type Link = { log_id: number; hash: string };

/** Checks one organization's chain from its first entry, or its checkpoint, to the head at the start of the check. */
export async function verifyChain(
  db: Db,
  organizationId: string,
  noted: ReadonlyMap<number, string>,
  isSigned: (checkpoint: CheckpointRow) => Promise<boolean>,
  pageEntries: number,
  onPage: (entries: number) => void,
): Promise<ChainVerdict> {
  const checkpoint = await findCheckpoint(db, organizationId);
  if (checkpoint && !(await isSigned(checkpoint))) return broken(checkpoint.log_id, 'checkpoint');
  // In this order: a head that is read after the newest entry cannot be behind it, unless it was altered.
  const newest = await findLogId(db, organizationId, { order: 'desc' });
  const head = await findHead(db, organizationId);
  if (!head && newest !== undefined) return broken(newest, 'head');
  // Negated, so that NaN fails too (SQLite would store text there).
  if (head && !(head.log_id >= Math.max(newest ?? 1, 1))) return broken(newest ?? 1, 'head');

  const end = head?.log_id ?? 0;
  let limit = pageEntries;
  let previous: Link = checkpoint ?? { log_id: 0, hash: GENESIS_HASH };
  if ((noted.get(previous.log_id) ?? previous.hash) !== previous.hash) return broken(previous.log_id, 'rebuilt');
  // The first page has no lower bound, to find entries inserted before the first.
  let after = Number.MIN_SAFE_INTEGER;
  while (previous.log_id < end) {
    const page = await listChain(db, organizationId, { after, last: end, limit }).catch(unreadable);
    if (page === 'unreadable') {
      if (limit === 1) return broken(previous.log_id + 1, 'altered');
      // Reads one by one to find the entry that is not valid JSON.
      limit = 1;
      continue;
    }
    if (page.length === 0) return broken(previous.log_id + 1, 'truncated');
    for (const row of page) {
      if (row.log_id > previous.log_id + 1) return broken(previous.log_id + 1, 'missing');
      if (row.log_id <= previous.log_id) return broken(row.log_id, 'altered');
      if (!follows(row, previous)) return diagnose(db, row, previous);
      if ((noted.get(row.log_id) ?? row.hash) !== row.hash) return broken(row.log_id, 'rebuilt');
      previous = row;
    }
    after = previous.log_id;
    onPage(page.length);
    // SQLite blocks the event loop, so let requests run between two pages.
    await setImmediate();
  }
  if (head && head.hash !== previous.hash) return broken(end, 'head');
  if ([...noted.keys()].some((id) => id > end)) return broken(end + 1, 'truncated');
  return { ok: true, head };
}

function unreadable(error: unknown): 'unreadable' {
  if (error instanceof SyntaxError) return 'unreadable';
  throw error;
}

function follows(row: AuditLogRow, previous: Link): boolean {
  const isNext = row.log_id === previous.log_id + 1 && row.previous_hash === previous.hash;
  return isNext && row.hash === hashEntry(previous.hash, row);
}

async function diagnose(db: Db, row: AuditLogRow, previous: Link): Promise<ChainVerdict> {
  if (row.previous_hash === previous.hash) return broken(row.log_id, 'altered');
  if (await hasHash(db, row.organization_id, row.previous_hash)) return broken(row.log_id, 'reordered');
  // If the entry's own hash is right, its predecessor was rewritten together with its hash.
  const isIntact = row.hash === hashEntry(row.previous_hash, row);
  return broken(isIntact ? Math.max(previous.log_id, 1) : row.log_id, 'altered');
}

function broken(log_id: number, problem: ChainProblem): ChainVerdict {
  return { ok: false, log_id, problem };
}
