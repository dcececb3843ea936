import SqliteConnection from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Db, Tables } from '../tables.ts';
import { createStatements, type Statements } from './statements.ts';

const BUSY_TIMEOUT_MS = 5000;

/** A handle that only reads, for a thread of its own: queries keep that thread busy until they end. */
export function openSqliteReader(file: string, cacheKib: number): Db {
  const connection = new SqliteConnection(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  connection.pragma(`cache_size = -${cacheKib}`);
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new ReadingDriver(createStatements(connection), () => connection.close()),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

class ReadingDriver implements Driver {
  readonly #session: DatabaseConnection;
  readonly #close: () => void;

  constructor(statements: Statements, close: () => void) {
    this.#session = new ReadingSession(statements);
    this.#close = close;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#session;
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction(): Promise<void> {
    return refuse();
  }

  commitTransaction(): Promise<void> {
    return refuse();
  }

  rollbackTransaction(): Promise<void> {
    return refuse();
  }

  async destroy(): Promise<void> {
    this.#close();
  }
}

class ReadingSession implements DatabaseConnection {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return this.#statements.execute<R>(sql, parameters);
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Read in pages: an open cursor would keep the connection busy.');
  }
}

async function refuse(): Promise<never> {
  throw new Error('This handle only reads.');
}
