import SqliteConnection from 'better-sqlite3';
import type { ApartQuery } from './read-apart.ts';
import { serveReads } from './serve-reads.ts';

serveReads((file) => {
  const connection = new SqliteConnection(file, { readonly: true, fileMustExist: true });
  return ({ sql, parameters }: ApartQuery): unknown[] => connection.prepare(sql).all(...parameters);
});
