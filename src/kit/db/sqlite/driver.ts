import { setImmediate as nextRound } from 'node:timers/promises';
import SqliteConnection, { type Database as Connection } from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { waitForTurn } from '../../base/own-turn.ts';
import { makeFilePrivate } from '../../base/private-files.ts';
import { isRoundUsed } from '../../base/round-budget.ts';
import { storageProblemOf } from '../../base/storage-failure.ts';
import type { RepeatedQuery } from '../execute-each.ts';
import { assertOuterHandleAllowed } from '../transaction-context.ts';
import { createLogRewriter, type LogRewriter } from './rewrite-log.ts';
import { createStatements, type Statements } from './statements.ts';
import { createWalSync, type WalSync } from './wal-sync.ts';

const BUSY_TIMEOUT_MS = 5000;

export type SqliteHandles = { file: string; writer: Connection; reader: Connection };

export function openSqlite(file: string): SqliteHandles {
  // The log and its index get the mode of the database file.
  makeFilePrivate(file);
  const writer = new SqliteConnection(file, { timeout: BUSY_TIMEOUT_MS });
  writer.pragma('journal_mode = WAL');
  // The shared sync of wal-sync.ts makes commits durable; checkpoints run in a worker thread.
  writer.pragma('synchronous = NORMAL');
  writer.pragma('wal_autocheckpoint = 0');
  writer.pragma('foreign_keys = ON');
  writer.pragma('cache_size = -8192');
  writer.pragma('temp_store = MEMORY');
  // What is deleted, or moved when a page is split, does not stay in the file.
  writer.pragma('secure_delete = fast');
  const reader = new SqliteConnection(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  reader.pragma('cache_size = -8192');
  return { file, writer, reader };
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
  #lastWriteFailed = false;
  readonly #log: LogRewriter;
  #isClosed = false;
  /** All queries outside of transactions: it has no state of theirs. */
  readonly #outside = new Session(this);
  readonly wal: WalSync;

  constructor(handles: SqliteHandles) {
    this.#handles = handles;
    this.#log = createLogRewriter(handles.file);
    this.wal = createWalSync(`${handles.file}-wal`, () => this.#rewriteLog());
    this.#write = createStatements(handles.writer);
    this.#read = createStatements(handles.reader);
  }

  async init(): Promise<void> {}

  /** The disk refused the last write; only another attempt shows whether it works again. */
  get lastWriteFailed(): boolean {
    return this.#lastWriteFailed || this.wal.isInDoubt();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.openSession();
  }

  async releaseConnection(): Promise<void> {}

  /** Only Kysely asks for transactions here, and nobody asks Kysely for them. */
  async beginTransaction(session: Session): Promise<void> {
    await this.begin(session);
  }

  async commitTransaction(session: Session): Promise<void> {
    this.commit(session);
  }

  async rollbackTransaction(session: Session): Promise<void> {
    this.rollback(session);
  }

  openSession(): Session {
    assertOuterHandleAllowed();
    if (this.#isClosed) throw new Error('The database is closed.');
    return new Session(this);
  }

  async begin(session: Session): Promise<void> {
    if (this.wal.isInDoubt()) await this.wal.mend();
    const turn = waitForTurn();
    if (turn) await turn;
    await this.#lock();
    // Others wait for the lock, so it waits for no turn.
    if (isRoundUsed()) await nextRound();
    try {
      this.#change('begin immediate', []);
    } catch (error) {
      this.#unlock();
      throw error;
    }
    session.inTransaction = true;
    // Queries resolve within the current turn, so a transaction still open in the next one has awaited something
    // else, and would block every writer meanwhile.
    session.watch = setImmediate(() => {
      session.overdue = true;
    });
  }

  commit(session: Session): void {
    assertPrompt(session);
    this.#change('commit', []);
    if (session.wrote) this.wal.wrote();
    if (session.changed) this.#lastWriteFailed = false;
    this.#end(session);
  }

  rollback(session: Session): void {
    // A failed COMMIT (a full disk, say) may have rolled back by itself already.
    if (this.#handles.writer.inTransaction) this.#write.execute('rollback', []);
    this.#end(session);
  }

  runOutside<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      assertOuterHandleAllowed();
    } catch (error) {
      return Promise.reject(error);
    }
    return this.run<R>(this.#outside, query);
  }

  async run<R>(session: Session, query: RepeatedQuery): Promise<QueryResult<R>> {
    if (session.inTransaction) {
      assertPrompt(session);
      session.wrote ||= !this.#write.isReadonly(query.sql);
      const changed = this.#change<R>(query.sql, query.parameters, query.each);
      session.changed ||= hasChanged(changed) && session.wrote;
      return changed;
    }
    if (session.hasEnded) throw new Error('The transaction has ended: its handle must not be used any more.');
    if (query.each) throw new Error('executeEach needs a transaction.');
    const turn = waitForTurn();
    if (turn) await turn;
    if (this.#isRead(query)) return this.#readerFor(session).execute<R>(query.sql, query.parameters);
    if (this.wal.isInDoubt()) await this.wal.mend();
    await this.#lock();
    let result: QueryResult<R>;
    try {
      result = this.#change<R>(query.sql, query.parameters);
      if (hasChanged(result)) this.#lastWriteFailed = false;
    } finally {
      this.#unlock();
    }
    this.wal.wrote();
    await this.wal.durable();
    return result;
  }

  async destroy(): Promise<void> {
    this.close();
  }

  close(): void {
    this.#isClosed = true;
    this.wal.close();
    this.#handles.reader.close();
    this.#handles.writer.close();
    this.#log.close();
  }

  /** Runs `work` between two transactions; none begins before it has ended. */
  async holdWrites(work: () => Promise<void>): Promise<void> {
    await this.#lock();
    try {
      await work();
    } finally {
      this.#unlock();
    }
  }

  /** Changes with each commit of another connection, the writer of this process included. */
  version(): number {
    const { rows } = this.#read.execute<{ data_version: number }>('pragma data_version', []);
    return rows[0]?.data_version ?? 0;
  }

  /** Pages that were changed in the file itself are read from there again. */
  dropPages(): void {
    this.#handles.writer.pragma('shrink_memory');
  }

  /**
   * Each commit empties the pages that the reader keeps, while the writer has those that were just changed. So short queries
   * are read with the writer, unless a transaction is open, whose changes nobody else may see yet.
   */
  #readerFor(session: Session): Statements {
    return session === this.#outside && !this.#locked ? this.#write : this.#read;
  }

  #isRead({ query, sql }: CompiledQuery): boolean {
    return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && this.#read.isReadonly(sql));
  }

  #change<R>(sql: string, parameters: readonly unknown[], each?: RepeatedQuery['each']): QueryResult<R> {
    try {
      return each ? this.#write.executeEach(sql, each) : this.#write.execute<R>(sql, parameters);
    } catch (error) {
      this.#lastWriteFailed ||= storageProblemOf(error) !== undefined;
      throw error;
    }
  }

  #rewriteLog(): Promise<void> {
    return this.holdWrites(async () => {
      // Another process may write to the same database, such as an operator's command.
      this.#write.execute('begin immediate', []);
      try {
        this.#log.rewrite();
      } finally {
        this.#write.execute('rollback', []);
      }
    });
  }

  #end(session: Session): void {
    session.inTransaction = false;
    session.hasEnded = true;
    clearImmediate(session.watch);
    this.#unlock();
  }

  async #lock(): Promise<void> {
    if (this.#locked) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#locked = true;
  }

  #unlock(): void {
    const next = this.#waiting.shift();
    // The lock is handed over without being released, so no other writer gets in between.
    if (next) next();
    else this.#locked = false;
  }
}

class Session implements DatabaseConnection {
  inTransaction = false;
  hasEnded = false;
  overdue = false;
  /** A transaction that only read has nothing to sync. */
  wrote = false;
  /** A transaction that changed no row has not touched the disk. */
  changed = false;
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

function hasChanged({ numAffectedRows = 0n, rows }: QueryResult<unknown>): boolean {
  return numAffectedRows > 0n || rows.length > 0;
}

function assertPrompt(session: Session): void {
  if (session.overdue) throw new Error('A transaction awaited something other than its own queries.');
}
