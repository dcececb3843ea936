import { readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { beforeAll, expect, it } from 'vitest';
import { listConversations } from '../../src/conversations/store/conversations.ts';
import { call } from '../support/call.ts';
import { sqliteForTests } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { countStatements } from '../support/statements.ts';
import { LISTS, NO_LISTS, SORTED } from './lists.ts';

type Document = { paths: Record<string, Record<string, unknown>> };

const document: Document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8'));
/** What reads a whole table, or sorts all that it found; sorting among equals is neither. */
const GROWS = /^SCAN (?!CONSTANT|json|\()|^USE TEMP B-TREE FOR ORDER BY/;
const ADMIN_KEY = 'the-admin-key-of-the-plans-test-0123456789';

it('has a bar for every path that is read without naming a parent: a new list is added to LISTS', () => {
  const paths = Object.entries(document.paths).flatMap(([path, { get }]) => (get && !path.includes('{') ? [path] : []));
  expect([...LISTS, ...NO_LISTS].sort()).toEqual(paths.sort());
});

it('finds a scan and a sort', () => {
  const connection = new Sqlite(':memory:');
  connection.exec('create table t (id text primary key, at text); create index t_at on t (at)');
  const grows = (sql: string) => plan(connection, sql).some((step) => GROWS.test(step));
  expect(grows('select * from t where id = ?')).toBe(false);
  expect(grows('select * from t where at > ? order by at, id')).toBe(false);
  expect(grows('select * from t where id > ? order by at')).toBe(true);
  expect(grows("select * from t where at || '' = ?")).toBe(true);
  connection.close();
});

let server: TestServer;
let connection: Sqlite.Database;
beforeAll(async () => {
  const database = sqliteForTests();
  server = await startTestServer(database, { environment: { TRAMONTANE_BOOTSTRAP_ADMIN_KEY: ADMIN_KEY } });
  if (database.options.kind === 'sqlite') connection = new Sqlite(database.options.file, { readonly: true });
  return () => connection.close();
});

it.each(LISTS)('reads neither a whole table nor sorts all of it for GET %s', async (path) => {
  const statements = countStatements();
  const key = path.startsWith('/v1/admin/') ? ADMIN_KEY : server.key;
  const { status, text } = await call(server, path, { key });
  const { texts } = statements.stop();
  expect(status, text).toBe(200);
  const reads = [...new Set(texts)].filter((sql) => /^\s*select/i.test(sql) && !sql.includes('look_0'));
  const growing = reads.flatMap((sql) =>
    plan(connection, sql)
      .filter((step) => GROWS.test(step) && !readsOwnPart(step, sql))
      .map((step) => `${step}: ${sql}`),
  );
  expect(growing.filter((found) => !SORTED.some((known) => found.includes(known)))).toEqual([]);
});

it('reads the conversations of a page by their ids, and not among all of their owner', async () => {
  const { db } = server.platform.database;
  const { workspace_id, user_id } = await db.selectFrom('workspace_members').selectAll().executeTakeFirstOrThrow();
  const at = '2026-01-01T00:00:00.000000Z';
  const row = { id: 'conv_1', workspace_id, user_id, settings: '{}', metadata: null, entry_count: 0, run_id: null };
  await db
    .insertInto('conversations')
    .values({ ...row, created_at: at, updated_at: at })
    .execute();
  const statements = countStatements();
  const found = await listConversations(server.platform.database, row, { offset: 0, limit: 10, metadata: {} });
  const ids: string[] = [];
  for await (const group of found) ids.push(...group.map(({ id }) => id));
  const { texts } = statements.stop();
  await db.deleteFrom('conversations').where('id', '=', row.id).execute();
  expect(ids).toEqual([row.id]);
  const steps = texts.filter((sql) => sql.includes('"id" in (')).flatMap((sql) => plan(connection, sql));
  expect(steps).toEqual([expect.stringMatching(/\(id=\?\)$/)]);
});

it.each([
  '/v1/admin/audit-logs?event_type=prompt.create',
  '/v1/admin/audit-logs?target_type=PROMPT',
  '/v1/batch/jobs?status=RUNNING',
])('looks only at what is asked for with GET %s', async (path) => {
  const statements = countStatements();
  const { status, text } = await call(server, path, { key: path.startsWith('/v1/admin/') ? ADMIN_KEY : server.key });
  const { texts } = statements.stop();
  expect(status, text).toBe(200);
  const asked = /(\w+)=/.exec(path)?.[1] ?? '';
  const steps = texts.filter((sql) => sql.includes(`"${asked}" in (`)).flatMap((sql) => plan(connection, sql));
  expect(steps.length).toBeGreaterThan(0);
  for (const step of steps) expect(step).toContain(`${asked}=?`);
});

/** Of a subquery or a common table expression, whose own steps are in the plan too. */
function readsOwnPart(step: string, sql: string): boolean {
  const name = /^SCAN (\w+)$/.exec(step)?.[1];
  return (
    name !== undefined &&
    new RegExp(`\\) as "?${name}\\b|\\b${name}"?(\\s*\\([^)]*\\))? as (materialized )?\\(`, 'i').test(sql)
  );
}

function plan(on: Sqlite.Database, sql: string): string[] {
  const values = Array<null>(sql.match(/\?/g)?.length ?? 0).fill(null);
  const steps = on.prepare(`explain query plan ${sql}`).all(...values) as { detail: string }[];
  return steps.map(({ detail }) => detail);
}
