import { createHash } from 'node:crypto';
import type { AuditLogRow } from './store.ts';

/** What the first entry of every chain follows. */
export const GENESIS_HASH = '0'.repeat(64);

// A list, not "all columns": a column added later must not change the hashes of entries written before it.
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

/** The same text for the same value, whatever the order of its keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}
