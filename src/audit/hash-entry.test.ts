import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, GENESIS_HASH, hashEntry, splitHashed } from './hash-entry.ts';

const entry = {
  organization_id: 'a0000000-0000-4000-8000-000000000001',
  log_id: 1,
  workspace_id: null,
  created_at: '2026-01-01T00:00:00.000000Z',
  actor_type: 'HUMAN',
  actor_metadata: { user_uuid: 'u', email: 'é@example.org' },
  event_type: 'prompt.create',
  event_metadata: {},
  target_type: 'PROMPT',
  target_metadata: { id: 'p' },
} as const;

it('an entry written by an earlier release keeps its hash', () => {
  expect(hashEntry(GENESIS_HASH, entry)).toBe('65ab41f196819e571d89c9707452b1fa50f5d912d8e4647b591b2717d149f4d3');
});

it('the text around the number gives the same hash', () => {
  const [before, after] = splitHashed(entry);
  const hash = createHash('sha256').update(`${GENESIS_HASH}${before}7${after}`).digest('hex');
  expect(hash).toBe(hashEntry(GENESIS_HASH, { ...entry, log_id: 7 }));
});

it('columns outside the list do not count', () => {
  expect(hashEntry(GENESIS_HASH, { ...entry, hash: 'x', added_later: 1 } as typeof entry)).toBe(
    hashEntry(GENESIS_HASH, entry),
  );
});

it('every hashed column and the previous hash count', () => {
  const hashes = Object.keys(entry).map((column) => hashEntry(GENESIS_HASH, { ...entry, [column]: 'other' }));
  hashes.push(hashEntry(GENESIS_HASH, entry), hashEntry('1'.repeat(64), entry));
  expect(new Set(hashes).size).toBe(Object.keys(entry).length + 2);
});

it('canonical JSON reads back as the same value and does not depend on the order of keys', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).reverse();
    return Object.fromEntries(members.map(([key, member]) => [key, reversed(member)]));
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
    }),
  );
});
