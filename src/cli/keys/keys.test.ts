import { beforeAll, describe, expect, it } from 'vitest';
import { onSqliteFirst } from '../../../test/support/databases.ts';
import { withinASecond } from '../../../test/support/within-a-second.ts';
import type { Environment } from '../../config/environment.ts';
import { preparePlatform, run, runJson, startCli } from '../run-for-tests.ts';
import { parseExpiry } from './run.ts';

const identity = (url: string, key: string) =>
  fetch(`${url}/v1/users/me`, { headers: { authorization: `Bearer ${key}` } });

onSqliteFirst('keys', (database) => {
  let environment: Environment;
  let firstKey: string;
  beforeAll(async () => {
    ({ environment, key: firstKey } = await preparePlatform(database));
  });

  it('create prints a key that opens the API; revoke closes it within a second, on a running server', async () => {
    const server = await startCli([], environment);
    const { stdout, stderr, code } = await run(['keys', 'create', '--name', 'laptop'], environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [key = ''] = stdout.match(/^tmk_\w{46}$/m) ?? [];
    const [, id = ''] = stdout.match(/keys revoke (\S+)/) ?? [];
    const answer = await identity(server.url, key);
    expect(await answer.json()).toMatchObject({ email: 'owner@localhost', api_key: { id, name: 'laptop' } });

    const revoked = await run(['keys', 'revoke', id], environment);
    expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining(`Revoked the key …${key.slice(-4)};`) });
    await withinASecond(async () => (await identity(server.url, key)).status !== 200);
    expect((await identity(server.url, key)).status).toBe(401);
    expect((await identity(server.url, firstKey)).status).toBe(200);
    await server.stop();
  });

  it('create --json says what it made', async () => {
    const { code, data } = await runJson(['keys', 'create', '--name', 'ci', '--expires', '2099-01-31'], environment);
    expect(code).toBe(0);
    expect(data).toEqual({
      id: expect.any(String),
      api_key: expect.stringMatching(/^tmk_/),
      kind: 'standard',
      organization_id: expect.any(String),
      workspace_id: expect.any(String),
      user: 'owner@localhost',
      expires_at: '2099-01-31T23:59:59.999Z',
    });
  });

  it('create --admin makes a key of the organization, shown this once [ADMIN-KEYS-CLI] [ADMIN-KEY-CREATE]', async () => {
    const { data } = await runJson(['keys', 'create', '--admin'], environment);
    expect(data).toMatchObject({
      api_key: expect.stringMatching(/^tma_/),
      kind: 'admin',
      workspace_id: null,
      user: null,
    });
    const refused = await run(['keys', 'create', '--admin', '--workspace', 'Default'], environment);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('An admin key belongs to an organization'),
    });
  });

  it('list shows all of a key but its value and hash [ADMIN-KEYS-NEVER-SHOWN]', async () => {
    const created = await runJson(['keys', 'create', '--name', 'shown', '--expires', '30d'], environment);
    const revoked = await runJson(['keys', 'create', '--name', 'gone'], environment);
    await run(['keys', 'revoke', revoked.data.id], environment);
    const { stdout } = await run(['keys', 'list'], environment);
    const { data } = await runJson(['keys', 'list'], environment);
    const ends = created.data.api_key.slice(-4);
    expect(stdout).toMatch(/^ID +KIND +NAME +ENDS WITH +WORKSPACE +USER +CREATED +EXPIRES +LAST USED +STATE$/m);
    expect(stdout).toMatch(
      new RegExp(
        `^${created.data.id} +standard +shown +…${ends} +Default +owner@localhost +\\S+ \\S+ +\\S+ \\S+ +- +active$`,
        'm',
      ),
    );
    expect(stdout).toMatch(new RegExp(`^${revoked.data.id} .*revoked$`, 'm'));
    const listed = data.keys.find(({ id }: { id: string }) => id === created.data.id);
    expect(listed).toMatchObject({
      kind: 'standard',
      name: 'shown',
      ends_with: ends,
      user: 'owner@localhost',
      state: 'active',
    });
    expect(Object.keys(listed)).not.toContain('hash');
    for (const text of [stdout, JSON.stringify(data)]) expect(text).not.toMatch(/tm[ka]_|[0-9a-f]{64}/);
  });

  it('revoke of a key that is not there fails; revoking twice changes nothing', async () => {
    const missing = await run(['keys', 'revoke', 'nothing'], environment);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no key 'nothing'") });
    const { data } = await runJson(['keys', 'create'], environment);
    const first = await runJson(['keys', 'revoke', data.id], environment);
    expect(await runJson(['keys', 'revoke', data.id], environment)).toEqual(first);
  });

  it('an expiry in the past is refused', async () => {
    const { code, stderr } = await run(['keys', 'create', '--expires', '2020-01-31'], environment);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'The key would have expired already, at 2020-01-31T23:59:59.999Z. Choose a later time.\n',
    });
  });

  describe('with a second organization', () => {
    beforeAll(async () => {
      await run(
        ['orgs', 'create', '--name', 'Acme', '--plan', 'team', '--owner-email', 'ann@example.com'],
        environment,
      );
    });

    it('create wants to know which, and lists them', async () => {
      const { code, stderr } = await run(['keys', 'create'], environment);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^There is more than one organization\. Choose one: Default \(\S+\), Acme \(\S+\)\.\n$/);
    });

    it('create takes it by name or id', async () => {
      const { data } = await runJson(['keys', 'create', '--organization', 'Acme'], environment);
      expect(data).toMatchObject({ user: 'ann@example.com' });
      const again = await runJson(['keys', 'create', '--organization', data.organization_id], environment);
      expect(again.data).toMatchObject({ organization_id: data.organization_id });
    });

    it('create --admin notes that the plan is not enough', async () => {
      const { code, stderr } = await run(['keys', 'create', '--admin', '--organization', 'Acme'], environment);
      expect(code).toBe(0);
      expect(stderr).toContain('the administrative API requires the enterprise plan, but Acme is on team');
    });

    it.each([
      [['--organization', 'Acne'], "There is no organization 'Acne'. Choose one: Default"],
      [['--organization', 'Acme', '--workspace', 'x'], "There is no workspace 'x'. Choose one: Default"],
      [
        ['--organization', 'Acme', '--user', 'owner@localhost'],
        "There is no user 'owner@localhost'. Choose one: ann@example.com",
      ],
    ])('create %j fails and lists the choices', async (args, message) => {
      const { code, stderr } = await run(['keys', 'create', ...args], environment);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
    });

    it('list names the organization, and can be narrowed to one', async () => {
      const all = await run(['keys', 'list'], environment);
      expect(all.stdout).toMatch(/ORGANIZATION/);
      const { data } = await runJson(['keys', 'list', '--organization', 'Acme'], environment);
      expect(new Set(data.keys.map((key: { organization_name: string }) => key.organization_name))).toEqual(
        new Set(['Acme']),
      );
    });
  });
});

describe('an expiry', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  it.each([
    ['12h', '2026-11-16T00:00:00.000Z'],
    ['30d', '2026-12-15T12:00:00.000Z'],
    ['2w', '2026-11-29T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T23:59:59.999Z'],
    ['2028-02-29', '2028-02-29T23:59:59.999Z'],
  ])('%s is %s', (text, expected) => {
    expect(parseExpiry(text, now)).toBe(expected);
  });

  it.each(['', '0d', '-1d', '1m', '30 d', '2027-02-29', '2027-13-01', '2027-1-1', '2027-01-31T00:00:00Z', 'never'])(
    '%j is refused',
    (text) => {
      expect(() => parseExpiry(text, now)).toThrow('--expires must be');
    },
  );
});
