import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { openPostgresTables } from './open-tables.ts';

const serverUrl = inject('postgresUrl');

it.runIf(serverUrl)('a connection that PostgreSQL ends does not end the campaign that reads its tables', async () => {
  const tables = openPostgresTables(serverUrl ?? '');
  const other = new pg.Client({ connectionString: serverUrl ?? '' });
  await other.connect();
  try {
    const pidOf = async () => (await tables.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;
    const pid = await pidOf();
    const uncaught: unknown[] = [];
    const listen = (error: unknown) => void uncaught.push(error);
    process.on('uncaughtException', listen);
    await other.query('select pg_terminate_backend($1)', [pid]);
    await expect.poll(() => pidOf().catch(() => pid)).not.toBe(pid);
    await setImmediate();
    process.off('uncaughtException', listen);
    expect(uncaught).toEqual([]);
  } finally {
    await other.end();
    await tables.close();
  }
});
