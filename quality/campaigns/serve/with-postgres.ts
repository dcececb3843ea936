import { randomBytes } from 'node:crypto';
import type { DatabaseOptions } from '../../../src/kit/db/index.ts';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import { administer, databaseUrl } from '../../../test/support/templates.ts';

/** Runs `work` on an empty PostgreSQL database; undefined where none is available. */
export async function withPostgres<T>(work: (database: DatabaseOptions) => Promise<T>): Promise<T | undefined> {
  const given = process.env.TRAMONTANE_TEST_POSTGRES_URL;
  const bin = given ? undefined : findPrograms();
  if (!given && !bin) return undefined;
  const server = bin ? await startPostgres(bin) : { url: given ?? '', stop: async () => undefined };
  const name = `trust_${randomBytes(6).toString('hex')}`;
  try {
    await administer(server.url, `create database ${name}`);
    return await work({ kind: 'postgres', url: databaseUrl(server.url, name) });
  } finally {
    await administer(server.url, `drop database if exists ${name} with (force)`);
    await server.stop();
  }
}
