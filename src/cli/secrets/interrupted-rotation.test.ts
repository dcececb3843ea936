import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import SqliteConnection from 'better-sqlite3';
import { expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startFakeMcp } from '../../../test/support/mcp-server.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { openKeyring } from '../../compose/open-keyring.ts';
import { createLog } from '../../kit/base/log.ts';
import { createSecretBox } from '../../kit/secrets/index.ts';
import { startProgram } from '../run-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

const MANY = 10_000;
const LAST = `copy-${MANY}`;

it('secrets rotate, killed in the middle of ten thousand: every secret opens, and the next rotation ends it', async () => {
  const wiki = await startFakeMcp();
  const database = sqliteForTests();
  const file = database.options.kind === 'sqlite' ? database.options.file : '';
  const environment = { TRAMONTANE_DATA_DIR: dirname(file) };
  const server = await startTestServer(database, { environment, file: { outbound: { allow: [wiki.place] } } });
  await call(server, '/v1/connectors', { body: { name: 'wiki', description: 'x', server: wiki.url } });
  const credentials = { name: 'main', credentials: { bearer_token: 'a-token-to-rotate' } };
  await call(server, '/v1/connectors/wiki/workspace/credentials', { body: credentials });
  const box = createSecretBox(openKeyring(server.config, createLog('silent')));
  const { db } = server.platform.database;
  const row = await db.selectFrom('connector_credentials').selectAll().executeTakeFirstOrThrow();
  const place = ({ connector_id, organization_id, consumer_type, consumer_id }: typeof row, name: string) =>
    `credentials ${connector_id} ${organization_id} ${consumer_type} ${consumer_id} ${name}`;
  const copies = Array.from({ length: MANY }, (_, n) => {
    const name = `copy-${n + 1}`;
    const text = JSON.stringify({ bearer_token: `token-${n + 1}` });
    return { ...row, name, is_default: false, sealed: box.seal(text, place(row, name)) };
  });
  await server.platform.database.transaction(async (tx) => {
    for (let at = 0; at < MANY; at += 500)
      await tx
        .insertInto('connector_credentials')
        .values(copies.slice(at, at + 500))
        .execute();
  });

  const before = openKeyring(server.config, createLog('silent')).current().id;
  const reader = new SqliteConnection(file, { readonly: true });
  const countOld = () =>
    reader.prepare('select count(*) from connector_credentials where sealed like ?').pluck().get(`s1.${before}.%`);
  const rotation = startProgram(['secrets', 'rotate'], environment);
  while (countOld() === MANY + 1) await pause(1);
  await rotation.stop('SIGKILL');
  const left = Number(countOld());
  reader.close();
  expect(left).toBeGreaterThan(0);

  const readable = async () => {
    const rows = await db.selectFrom('connector_credentials').selectAll().execute();
    return rows.filter((one) => box.open(one.sealed, place(one, one.name)) !== undefined).length;
  };
  expect(await readable()).toBe(MANY + 1);
  const use = async (name: string) => {
    const path = `/v1/connectors/wiki/tools/echo/call?credentials_name=${name}`;
    expect((await call(server, path, { body: {} })).status).toBe(200);
    return wiki.seen.findLast(({ method }) => method === 'tools/call')?.headers.authorization;
  };
  expect(await use(LAST)).toBe(`Bearer token-${MANY}`);

  const again = await runHere(['secrets', 'rotate'], environment);
  expect(again.data).toMatchObject({ resealed: MANY + 1, unreadable: 0, keys: 2 });
  const newest = openKeyring(server.config, createLog('silent')).current().id;
  const rows = await db.selectFrom('connector_credentials').select('sealed').execute();
  expect(rows.every(({ sealed }) => sealed.startsWith(`s1.${newest}.`))).toBe(true);
  expect(await readable()).toBe(MANY + 1);
  expect(await use(LAST)).toBe(`Bearer token-${MANY}`);
}, 120_000);
