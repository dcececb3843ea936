import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import pg from 'pg';
import { noteStatement } from '../statement-channel.ts';
import { assertOuterHandleAllowed } from '../transaction-context.ts';
import { withoutNul } from '../without-nul.ts';
import { CommitUnknown, isConnectionLost, unreachable } from './lost-connection.ts';

const INT8_OID = 20;
const NUMERIC_OID = 1700;
/** The size of the pool: each of its connections may be dead without having been noticed yet. */
const READ_TRIES = 21;

// No integer of ours exceeds 2^53, so bigint columns come back as numbers, as they do from SQLite.
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8_OID || oid === NUMERIC_OID) return Number;
    return pg.types.getTypeParser(oid, format);
  },
};

export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    ...{ connectionString: url, types, max: 20, connectionTimeoutMillis: 5000, keepAlive: true },
    // `begin` and the first statement of a transaction are sent together.
    pipeline: true,
  });
  // An idle connection that breaks is replaced by the pool; queries in flight get their own error.
  pool.on('error', () => undefined);
  // A connection that breaks between two queries emits an error, which ends the process if it has no listener.
  pool.on('connect', (client) => client.on('error', () => undefined));
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
    return new Session(this.#pool, await connect(this.#pool));
  }

  async releaseConnection(session: Session): Promise<void> {
    session.release();
  }

  async beginTransaction(session: Session): Promise<void> {
    session.transaction = 'unsent';
  }

  async commitTransaction(session: Session): Promise<void> {
    if (session.transaction === 'unsent') return;
    await session.guard(session.send('commit')).catch((error) => {
      throw isConnectionLost(error) ? new CommitUnknown(error) : error;
    });
  }

  async rollbackTransaction(session: Session): Promise<void> {
    if (session.transaction === 'unsent') return;
    await session.guard(session.send('rollback')).catch((error) => {
      // The original error is the one to report; the server has rolled back by itself.
      if (!isConnectionLost(error)) throw error;
    });
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

class Session implements DatabaseConnection {
  /** Until its first statement nothing is sent of a transaction: `begin` alone would be a round trip more. */
  transaction: 'none' | 'unsent' | 'begun' = 'none';
  #broken = false;
  /** Undefined once released; the pool accepts a connection only once. */
  #client: pg.PoolClient | undefined;
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool, client: pg.PoolClient) {
    this.#pool = pool;
    this.#client = client;
  }

  get client(): pg.PoolClient {
    if (!this.#client) throw unreachable(new Error('The connection was given back.'));
    return this.#client;
  }

  release(): void {
    const client = this.#client;
    this.#client = undefined;
    // A connection whose transaction may still be open must not go back to the pool.
    client?.release(this.#broken);
  }

  send(sql: string, values?: unknown[]): Promise<pg.QueryResult> {
    if (this.transaction === 'unsent') return this.#sendFirst(sql, values);
    noteStatement(sql);
    return this.client.query(sql, values);
  }

  async #sendFirst(sql: string, values?: unknown[]): Promise<pg.QueryResult> {
    const { stream } = this.client.connection;
    this.transaction = 'begun';
    // One packet: each would wake PostgreSQL.
    stream.cork();
    const both = Promise.all([this.send('begin'), this.send(sql, values)]);
    stream.uncork();
    return (await both)[1];
  }

  async guard<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql } = query;
    const values = query.parameters.map(encode);
    for (let tries = 1; ; tries++) {
      try {
        const { rows, rowCount } = await this.send(sql, values);
        return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        this.#broken = true;
        const isInTransaction = this.transaction !== 'none';
        if (isInTransaction || tries === READ_TRIES || !isRead(sql)) throw lost(sql, isInTransaction, error);
        await this.#replace();
      }
    }
  }

  /** A read may be repeated on another connection. */
  async #replace(): Promise<void> {
    // Released first: when all connections are broken at once, no other is available.
    this.release();
    this.#client = await connect(this.#pool);
    this.#broken = false;
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Read in pages: an open cursor would keep the connection busy.');
  }
}

/** No connection could be opened: nothing listens, the server is starting or full, or it takes too long. */
function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw unreachable(error);
  });
}

/** A write outside a transaction commits by itself, so its outcome is unknown when the response was lost. */
function lost(sql: string, isInTransaction: boolean, error: unknown): Error {
  return isInTransaction || isRead(sql) ? unreachable(error) : new CommitUnknown(error);
}

/** It changes nothing, so that it may be repeated on another connection. */
const isRead = (sql: string): boolean => /^\s*(select|begin)\b/i.test(sql);

// The driver would turn an array into a PostgreSQL array; here arrays and objects are always JSON.
function encode(value: unknown): unknown {
  if (typeof value === 'string') return withoutNul(value);
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) return JSON.stringify(value);
  return value;
}
