import type { CompiledQuery } from 'kysely';

const NAMES_MAX = 400;
const names = new Map<string, string>();

/**
 * A name makes PostgreSQL keep a statement's plan on the connection: for wide writes, planning takes longer than writing.
 * Only writes whose text is made once (`rowWriter` and the like): they find their rows by key, so that one plan fits all
 * values, and there are few of them.
 */
export function nameOf({ sql, query }: CompiledQuery): string | undefined {
  if (query.kind !== 'RawNode') return undefined;
  const known = names.get(sql);
  if (known !== undefined || names.size >= NAMES_MAX || !isWrite(sql)) return known;
  const name = `w${names.size}`;
  names.set(sql, name);
  return name;
}

const isWrite = (sql: string): boolean => /^(insert|update|delete)\b/.test(sql);
