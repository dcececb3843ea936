import SqliteConnection, { type Database as Connection } from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { assertOuterHandleAllowed } from '../transaction-context.ts';
import { createStatements, type Statements } from './statements.ts';
import { createWalSync, type WalSync } from './wal-sync.ts';

const BUSY_TIMEOUT_MS = 5000;

export type SqliteHandles = { writer: Connection; reader: Connection; wal: WalSync };

export function openSqlite(file: string): SqliteHandles {
  const writer = new SqliteConnection(file, { timeout: BUSY_TIMEOUT_MS });
  writer.pragma('journal_mode = WAL');
  // The shared sync of wal-sync.ts makes commits durable; checkpoints run in a worker thread.
  writer.pragma('synchronous = NORMAL');
  writer.pragma('wal_autocheckpoint = 0');
  writer.pragma('foreign_keys = ON');
  writer.pragma('cache_size = -16384');
  writer.pragma('temp_store = MEMORY');
  const reader = new SqliteConnection(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  reader.pragma('cache_size = -16384');
  return { writer, reader, wal: createWalSync(`${file}-wal`) };
}

/**
 * One connection writes, another reads. Calls into SQLite are synchronous and short, so a transaction that
 * awaits nothing but its own queries begins and ends within one turn of the event loop.
 */
export class SqliteDriver implements Driver {
  readonly #handles: SqliteHandles;
  readonly #write: Statements;
  readonly #read: Statements;
  readonly #waiting: (() => void)[] = [];
  #locked = false;

  constructor(handles: SqliteHandles) {
    this.#handles = handles;
    this.#write = createStatements(handles.writer);
    this.#read = createStatements(handles.reader);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    assertOuterHandleAllowed();
    return new Session(this);
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(session: Session): Promise<void> {
    await this.#lock();
    try {
      this.#write.execute('begin immediate', []);
    } catch (error) {
      this.#unlock();
      throw error;
    }
    session.inTransaction = true;
    // Queries resolve without leaving the current turn, so a transaction still open in the next one has
    // awaited something else, and would hold up every writer for as long as that takes.
    session.watch = setImmediate(() => {
      session.overdue = true;
    });
  }

  async commitTransaction(session: Session): Promise<void> {
    assertPrompt(session);
    this.#write.execute('commit', []);
    if (session.wrote) this.#handles.wal.wrote();
    this.#end(session);
  }

  async rollbackTransaction(session: Session): Promise<void> {
    // A failed COMMIT (a full disk, say) may have rolled back by itself already.
    if (this.#handles.writer.inTransaction) this.#write.execute('rollback', []);
    this.#end(session);
  }

  async run<R>(session: Session, query: CompiledQuery): Promise<QueryResult<R>> {
    if (session.inTransaction) {
      assertPrompt(session);
      session.wrote ||= !this.#write.isReadonly(query.sql);
      return this.#write.execute<R>(query.sql, query.parameters);
    }
    if (this.#isRead(query)) return this.#read.execute<R>(query.sql, query.parameters);
    await this.#lock();
    let result: QueryResult<R>;
    try {
      result = this.#write.execute<R>(query.sql, query.parameters);
    } finally {
      this.#unlock();
    }
    this.#handles.wal.wrote();
    await this.#handles.wal.durable();
    return result;
  }

  async destroy(): Promise<void> {
    this.#handles.wal.close();
    this.#handles.reader.close();
    this.#handles.writer.close();
  }

  #isRead({ query, sql }: CompiledQuery): boolean {
    return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && this.#read.isReadonly(sql));
  }

  #end(session: Session): void {
    session.inTransaction = false;
    clearImmediate(session.watch);
    this.#unlock();
  }

  async #lock(): Promise<void> {
    if (this.#locked) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#locked = true;
  }

  #unlock(): void {
    const next = this.#waiting.shift();
    // The lock stays taken when it is handed over, so nobody slips in between.
    if (next) next();
    else this.#locked = false;
  }
}

class Session implements DatabaseConnection {
  inTransaction = false;
  overdue = false;
  /** A transaction that only read has nothing to sync. */
  wrote = false;
  watch: NodeJS.Immediate | undefined;
  readonly #driver: SqliteDriver;

  constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#driver.run<R>(this, query);
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Read in pages: an open cursor would keep the connection busy.');
  }
}

function assertPrompt(session: Session): void {
  if (session.overdue) throw new Error('A transaction awaited something other than its own queries.');
}
