import { createHash } from 'node:crypto';
import type { AuditLogRow } from './store.ts';

/** The previous hash of the first entry of a chain. */
export const GENESIS_HASH = '0'.repeat(64);

// A fixed list, so that a column added later does not change the hashes of older entries.
const HASHED_COLUMNS = [
  'organization_id',
  'log_id',
  'workspace_id',
  'created_at',
  'actor_type',
  'actor_metadata',
  'event_type',
  'event_metadata',
  'target_type',
  'target_metadata',
] as const;

export function hashEntry(previousHash: string, entry: Pick<AuditLogRow, (typeof HASHED_COLUMNS)[number]>): string {
  const hashed = Object.fromEntries(HASHED_COLUMNS.map((column) => [column, entry[column]]));
  return createHash('sha256')
    .update(previousHash + canonicalJson(hashed))
    .digest('hex');
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}
