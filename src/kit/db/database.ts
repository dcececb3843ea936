import { type CompiledQuery, sql } from 'kysely';
import { codeOf } from '../base/error-code.ts';
import type { Looks } from './looks.ts';
import type { Db, Tx } from './tables.ts';
import type { Wakeups } from './wakeups.ts';

export type Database = {
  kind: 'sqlite' | 'postgres';
  /** The file of SQLite, for a thread with `openSqliteReader`. */
  file?: string;
  db: Db;
  /** Resolves when the work is committed and durable. On PostgreSQL a deadlock or a serialization failure runs it again. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same without waiting for the disk: for changes that are not acknowledged before a later transaction is durable.
   * Hooks run once it is durable; `durable` then resolves, or rejects when the disk failed. On SQLite that is after `waitMs`
   * at the latest, or with the next change that somebody waits for.
   */
  commit<T>(work: (tx: Tx) => Promise<T>, waitMs?: number): Promise<{ result: T; durable: Promise<void> }>;
  /** Resolves when everything committed so far is on disk. */
  durable(): Promise<void>;
  /** Runs a long read off the event loop: in a thread with a connection of its own, or on the database server. */
  readApart<R>(query: CompiledQuery<R>): Promise<R[]>;
  /**
   * Clears what deleted rows left in SQLite's file and its log; resolves when nothing is left of those deleted before.
   * PostgreSQL does that itself, some time later. Reads the whole file in a thread: for tasks. Throws `NoCalmMoment` where
   * others read or write too much of it now.
   */
  overwriteDeleted(): Promise<void>;
  wakeups: Wakeups;
  looks: Looks;
  ping(): Promise<void>;
  close(): Promise<void>;
};

export type DatabaseOptions = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

/**
 * Serialises servers that start at the same time. Held until the transaction ends; SQLite needs nothing, because its
 * write transactions exclude each other.
 */
export async function lockFor(tx: Tx, kind: Database['kind'], name: string): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(hashtext(${name}))`.execute(tx);
}

const UNIQUE_VIOLATIONS = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);

/** Two callers wrote the same key; the second may read the first one's row and decide. */
export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE_VIOLATIONS.has(codeOf(error));
}

/** The database was created by a program that did not have this table yet. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === '42P01' || (error instanceof Error && error.message.startsWith('no such table'));
}
