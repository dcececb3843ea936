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

type Hashed = Pick<AuditLogRow, (typeof HASHED_COLUMNS)[number]>;

export function hashEntry(previousHash: string, entry: Hashed): string {
  return createHash('sha256')
    .update(previousHash + canonicalJson(hashedOf(entry)))
    .digest('hex');
}

/** What is hashed of an entry after the previous hash, before and after its number: for a database that counts and hashes. */
export function splitHashed(entry: Omit<Hashed, 'log_id'>): [before: string, after: string] {
  const members = Object.entries(hashedOf({ ...entry, log_id: 0 }));
  const before = Object.fromEntries(members.filter(([name]) => name < 'log_id'));
  const after = Object.fromEntries(members.filter(([name]) => name > 'log_id'));
  return [`${canonicalJson(before).slice(0, -1)},"log_id":`, `,${canonicalJson(after).slice(1)}`];
}

function hashedOf(entry: Hashed): Record<string, unknown> {
  return Object.fromEntries(HASHED_COLUMNS.map((column) => [column, entry[column]]));
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}
