import { parentPort, workerData } from 'node:worker_threads';
import SqliteConnection from 'better-sqlite3';
import type { ApartQuery, ApartReport } from './read-apart.ts';

const connection = new SqliteConnection(workerData as string, { readonly: true, fileMustExist: true });

function read({ sql, parameters }: ApartQuery): ApartReport {
  try {
    return { rows: connection.prepare(sql).all(...parameters) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (query: ApartQuery) => parentPort?.postMessage(read(query)));
