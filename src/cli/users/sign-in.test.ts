import { beforeAll, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import type { Environment } from '../../config/environment.ts';
import { PASSWORD, signInOwner, type TestBrowser } from '../../console/browser-for-tests.ts';
import { stepAt, totpAt } from '../../tenants/sign-in/totp.ts';
import { preparePlatform } from '../run-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

const FACTOR = '/console/api/account/second-factor';

let server: TestServer;
let environment: Environment;
let owner: TestBrowser;

beforeAll(async () => {
  const database = sqliteForTests();
  server = await startTestServer(database);
  ({ environment } = await preparePlatform(database));
  owner = await signInOwner(server);
});

const run = (...words: string[]) => runHere(words, environment);

it('a second factor is removed by the operator, with its recovery codes and the sessions of its user', async () => {
  expect(await run('users', 'reset-second-factor', 'owner@localhost')).toMatchObject({
    code: 0,
    data: { reset: false },
  });
  const begun = await owner.ask(FACTOR, { method: 'POST', body: { password: PASSWORD } });
  const { secret } = begun.body as { secret: string };
  const code = totpAt(secret, stepAt(Date.now()));
  expect((await owner.ask(`${FACTOR}/confirm`, { method: 'POST', body: { code } })).status).toBe(200);
  expect((await owner.signIn('owner@localhost')).status).toBe(401);
  expect(await run('users', 'reset-second-factor', 'owner@localhost')).toMatchObject({
    code: 0,
    data: { reset: true },
  });
  const { db } = server.platform.database;
  for (const table of ['second_factors', 'recovery_codes', 'sessions'] as const)
    expect(await db.selectFrom(table).selectAll().execute()).toEqual([]);
  expect((await run('audit', 'list', '--events', 'user.second_factor.update')).stdout).toContain('operator');
  expect((await owner.signIn('owner@localhost')).status).toBe(200);
});
