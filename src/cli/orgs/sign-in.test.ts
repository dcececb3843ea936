import { beforeAll, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer } from '../../../test/support/server.ts';
import type { Environment } from '../../config/environment.ts';
import { signInOwner, type TestBrowser } from '../../console/browser-for-tests.ts';
import { preparePlatform } from '../run-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

let environment: Environment;
let owner: TestBrowser;

beforeAll(async () => {
  const database = sqliteForTests();
  const server = await startTestServer(database);
  ({ environment } = await preparePlatform(database));
  owner = await signInOwner(server);
});

const run = (...words: string[]) => runHere(words, environment);

it('the rules of an organization are set and lifted by the operator', async () => {
  const set = await run('orgs', 'set-sign-in', 'Default', '--second-factor');
  expect(set).toMatchObject({ code: 0, data: { second_factor: true, provider: null } });
  expect(await run('orgs', 'set-sign-in', 'Default', '--provider', 'nobody')).toMatchObject({ code: 2 });
  const lifted = await run('orgs', 'set-sign-in', 'Default');
  expect(lifted.stdout).toContain('nothing beyond a password');
  expect((await owner.ask('/v1/users/me')).status).toBe(200);
});
