import { parentPort, workerData } from 'node:worker_threads';
import SqliteConnection from 'better-sqlite3';
import type { ApartOrder, ApartReport } from './read-apart.ts';

const { file, sql, parameters } = workerData as ApartOrder;

function read(): ApartReport {
  const connection = new SqliteConnection(file, { readonly: true, fileMustExist: true });
  try {
    return { rows: connection.prepare(sql).all(...parameters) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  } finally {
    connection.close();
  }
}

parentPort?.postMessage(read());
