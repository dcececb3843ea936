import { beforeAll, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import type { Environment } from '../../config/environment.ts';
import { openBrowser, type TestBrowser } from '../../console/browser-for-tests.ts';
import { preparePlatform } from '../run-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

let server: TestServer;
let environment: Environment;
/** Somebody who made an account with the address of a stranger, in an organization of their own. */
let mallory: TestBrowser;

// biome-ignore lint/suspicious/noExplicitAny: each command has its own shape
async function dataOf(...words: string[]): Promise<any> {
  const { code, data, stderr } = await runHere(words, environment);
  expect([words, code, stderr]).toEqual([words, 0, '']);
  return data;
}
const inAttackers = ['--organization', 'Attackers'];
const organizations = async (browser: TestBrowser) => {
  const { body } = await browser.ask('/v1/users/me/organizations');
  return (body as { organizations: { name: string }[] }).organizations.map(({ name }) => name);
};
const accept = (browser: TestBrowser, link: string) =>
  browser.ask(`${new URL(link).pathname.replace('/link/', '/api/links/')}/accept`, { method: 'POST' });

beforeAll(async () => {
  const database = sqliteForTests();
  server = await startTestServer(database);
  ({ environment } = await preparePlatform(database));
  await dataOf('orgs', 'create', '--name', 'Attackers', '--owner-email', 'mallory@example.test');
  const invited = await dataOf('users', 'invite', 'vera@example.test', ...inAttackers, '--workspaces', 'Default');
  mallory = openBrowser(server);
  const { pathname } = new URL(invited.links[0].url);
  expect((await mallory.openLink(pathname, { name: 'Mallory' })).status).toBe(200);
});

it('orgs create --owner-email does not let an existing account in, but prints a link for its owner', async () => {
  const created = await runHere(
    ['orgs', 'create', '--name', 'Bank', '--owner-email', 'vera@example.test', '--url', 'https://ai.test'],
    environment,
  );
  const { link } = created.data as { link: string };
  expect(created).toMatchObject({ code: 0, data: { owner_email: 'vera@example.test' } });
  expect(link).toMatch(/^https:\/\/ai\.test\/console\/link\/[\w-]{43}$/);
  expect(created.stdout).toContain(`It joins when its owner signs in to it and opens this link:\n${link}\n`);
  expect(await organizations(mallory)).toEqual(['Attackers']);
  expect(await dataOf('users', 'list', '--organization', 'Bank')).toMatchObject({
    members: [{ email: 'vera@example.test', first_name: null }],
  });
  expect((await accept(mallory, link)).status).toBe(200);
  expect(await organizations(mallory)).toEqual(['Attackers', 'Bank']);
});

it('users add does not let an existing account in either, until its owner or the operator says so', async () => {
  await dataOf('orgs', 'create', '--name', 'Club', '--owner-email', 'club@example.test');
  const inClub = ['--organization', 'Club'];
  const { id, link } = await dataOf('users', 'add', 'vera@example.test', ...inClub, '--first-name', 'Vera');
  expect(link).toContain('/console/link/');
  expect(await organizations(mallory)).not.toContain('Club');
  expect(await dataOf('users', 'show', 'vera@example.test', ...inClub)).toMatchObject({ id, first_name: 'Vera' });
  const joined = await dataOf('users', 'add', 'vera@example.test', ...inClub, '--existing-account');
  expect(joined).toEqual({ id: mallory.session?.user.id, email: 'vera@example.test' });
  expect(await organizations(mallory)).toContain('Club');
  expect((await accept(mallory, link)).status).toBe(404);
});

it('users link warns that it opens other organizations too, and each of them has it in its audit log', async () => {
  const joining = ['--organization', 'Default', '--existing-account'];
  await dataOf('users', 'add', 'vera@example.test', ...joining);
  const { code, stderr } = await runHere(['users', 'link', 'vera@example.test', ...inAttackers], environment);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/belongs to \d organizations.*give it to vera@/)]);
  for (const name of ['Attackers', 'Default']) {
    const { entries } = await dataOf('audit', 'list', '--organization', name, '--events', 'user.sign_in_link.create');
    expect(entries).toHaveLength(1);
  }
});

it('orgs create --existing-account is the operator’s word, and the audit log has it', async () => {
  const args = ['--owner-email', 'vera@example.test', '--existing-account'];
  const created = await dataOf('orgs', 'create', '--name', 'Guild', ...args);
  expect(created).not.toHaveProperty('link');
  expect(await organizations(mallory)).toContain('Guild');
  const { entries } = await dataOf('audit', 'list', '--organization', created.id);
  expect(JSON.stringify(entries)).toContain('existing_account');
});
