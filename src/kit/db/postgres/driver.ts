import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import pg from 'pg';
import { assertOuterHandleAllowed } from '../transaction-context.ts';

const INT8_OID = 20;
const NUMERIC_OID = 1700;

// No integer of ours exceeds 2^53, so bigint columns come back as numbers, as they do from SQLite.
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8_OID || oid === NUMERIC_OID) return Number;
    return pg.types.getTypeParser(oid, format);
  },
};

export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, types, max: 20, connectionTimeoutMillis: 5000 });
  // An idle connection that breaks is replaced by the pool; queries in flight get their own error.
  pool.on('error', () => undefined);
  return pool;
}

export class PostgresDriver implements Driver {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    assertOuterHandleAllowed();
    return new Session(await this.#pool.connect());
  }

  async releaseConnection(session: Session): Promise<void> {
    // A connection whose transaction may still be open must not go back to the pool.
    session.client.release(session.broken);
  }

  async beginTransaction(session: Session): Promise<void> {
    await session.client.query('begin');
  }

  async commitTransaction(session: Session): Promise<void> {
    await session.guard(session.client.query('commit'));
  }

  async rollbackTransaction(session: Session): Promise<void> {
    await session.guard(session.client.query('rollback'));
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

class Session implements DatabaseConnection {
  broken = false;
  readonly client: pg.PoolClient;

  constructor(client: pg.PoolClient) {
    this.client = client;
  }

  async guard<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      this.broken = true;
      throw error;
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, rowCount } = await this.client.query(query.sql, query.parameters.map(encode));
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Read in pages: an open cursor would keep the connection busy.');
  }
}

// The driver would turn an array into a PostgreSQL array; with us arrays and objects are always JSON.
function encode(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) return JSON.stringify(value);
  return value;
}
