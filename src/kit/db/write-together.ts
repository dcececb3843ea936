import { CompiledQuery } from 'kysely';
import type { Db } from './tables.ts';

/** A statement that may become part of a larger one: its placeholders are `?`, and JSON is text. */
export type Part = { text: string; values: readonly unknown[] };

/** PostgreSQL takes 65,535 values; far fewer are worth being sent together. */
const VALUES_MAX = 10_000;

export function insertPart(table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): Part {
  const marks = `(${columns.map(() => '?').join(', ')})`;
  return {
    text: `insert into ${table} (${columns.join(', ')}) values ${rows.map(() => marks).join(', ')}`,
    values: rows.flat(),
  };
}

/** Whether `executeTogether` takes them. */
export function mayGoTogether(parts: readonly Part[]): boolean {
  return parts.reduce((sum, { values }) => sum + values.length, 0) <= VALUES_MAX;
}

/**
 * On PostgreSQL, where each statement is a round trip: writes to different rows as one statement. None sees what another
 * wrote, and their order is not defined.
 */
export async function executeTogether(db: Db, parts: readonly Part[]): Promise<void> {
  const last = parts.at(-1);
  if (!last) return;
  const others = parts.slice(0, -1).map(({ text }, at) => `part${at} as (${text})`);
  const text = `${others.length > 0 ? `with ${others.join(', ')} ` : ''}${last.text}`;
  let mark = 0;
  const numbered = text.replace(/\?/g, () => `$${++mark}`);
  await db.executeQuery(
    CompiledQuery.raw(
      numbered,
      parts.flatMap(({ values }) => values),
    ),
  );
}
