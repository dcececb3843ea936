import type { Database as Connection, Statement } from 'better-sqlite3';
import type { QueryResult } from 'kysely';
import { noteStatement } from '../statement-channel.ts';
import { withoutNul } from '../without-nul.ts';

const STATEMENTS_MAX = 500;

type Decode = (value: unknown) => unknown;
type Prepared = {
  statement: Statement;
  isReader: boolean;
  decoders: [column: string, decode: Decode][];
  /** When it was used last, counted in uses of all. */
  usedAt: number;
};

/** Prepared statements by their text, least recently used out first, with the codecs of each result column. */
export type Statements = {
  execute<R>(sql: string, parameters: readonly unknown[]): QueryResult<R>;
  /** Runs one statement that returns nothing for each list of parameters. */
  executeEach(sql: string, each: readonly (readonly unknown[])[]): QueryResult<never>;
  isReadonly(sql: string): boolean;
};

export function createStatements(connection: Connection): Statements {
  const cache = new Map<string, Prepared>();
  let uses = 0;

  function prepare(sql: string): Prepared {
    const cached = cache.get(sql);
    uses++;
    if (cached) {
      cached.usedAt = uses;
      return cached;
    }
    const statement = connection.prepare(sql);
    const isReader = statement.reader;
    const prepared = { statement, isReader, decoders: isReader ? decodersOf(statement) : [], usedAt: uses };
    cache.set(sql, prepared);
    if (cache.size > STATEMENTS_MAX) dropOldest();
    return prepared;
  }

  // Looking for it costs less than the statement that was just prepared; moving each to the end with each use costs more.
  function dropOldest(): void {
    let [oldest, leastUsedAt] = ['', Number.POSITIVE_INFINITY];
    for (const [sql, { usedAt }] of cache) if (usedAt < leastUsedAt) [oldest, leastUsedAt] = [sql, usedAt];
    cache.delete(oldest);
  }

  return {
    isReadonly: (sql) => prepare(sql).statement.readonly,
    executeEach(sql, each) {
      const { statement } = prepare(sql);
      let changes = 0;
      for (const parameters of each) {
        noteStatement(sql);
        changes += statement.run(...encodeAll(parameters)).changes;
      }
      return { numAffectedRows: BigInt(changes), rows: [] };
    },
    execute<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
      noteStatement(sql);
      const { statement, isReader, decoders } = prepare(sql);
      const values = encodeAll(parameters);
      if (!isReader) {
        const { changes } = statement.run(...values);
        return { numAffectedRows: BigInt(changes), rows: [] };
      }
      const rows = statement.all(...values) as Record<string, unknown>[];
      for (const [column, decode] of decoders) for (const row of rows) row[column] = decode(row[column]);
      return { rows: rows as R[] };
    },
  };
}

// SQLite keeps the declared type of a column, which tells booleans and JSON values apart.
function decodersOf(statement: Statement): Prepared['decoders'] {
  const decoders: Prepared['decoders'] = [];
  for (const { name, type } of statement.columns()) {
    const declared = type?.toLowerCase() ?? '';
    if (declared.startsWith('json')) decoders.push([name, decodeJson]);
    if (declared === 'boolean') decoders.push([name, (v) => (v === null ? null : v !== 0)]);
  }
  return decoders;
}

/** A damaged value comes back as its text: it fails where it is used, and the other rows of the query are read. */
function decodeJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The list itself if all of its values are bound as they are. */
function encodeAll(values: readonly unknown[]): readonly unknown[] {
  let encoded: unknown[] | undefined;
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (typeof value === 'number' || value === null || (typeof value === 'string' && !value.includes('\0'))) continue;
    encoded ??= values.slice();
    encoded[at] = encode(value);
  }
  return encoded ?? values;
}

function encode(value: unknown): unknown {
  if (typeof value === 'string') return withoutNul(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) return null;
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) return JSON.stringify(value);
  return value;
}
