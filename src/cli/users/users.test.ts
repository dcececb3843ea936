import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import type { Environment } from '../../config/environment.ts';
import { preparePlatform } from '../run-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

let environment: Environment;
beforeAll(async () => {
  ({ environment } = await preparePlatform());
});
const run = (...words: string[]) => runHere(words, environment);
// biome-ignore lint/suspicious/noExplicitAny: whatever the command said
const dataOf = async (...words: string[]): Promise<any> => {
  const { code, data, stderr } = await run(...words);
  expect([words, code, stderr]).toEqual([words, 0, '']);
  return data;
};

describe('users', () => {
  it('are added, shown, listed, given roles and removed', async () => {
    const added = await dataOf('users', 'add', 'Ann@example.test', '--first-name', 'Ann', '--last-name', 'Lee');
    expect(added).toEqual({ id: expect.any(String), email: 'ann@example.test' });
    expect(await dataOf('users', 'set-roles', 'ann@example.test', 'billing_manager,member')).toMatchObject({
      roles: ['billing_manager', 'member'],
    });
    const { stdout } = await run('users', 'show', added.id);
    expect(stdout).toContain('Name        Ann Lee');
    expect(await dataOf('users', 'list', '--email', 'ANN@')).toMatchObject({ total: 1, members: [{ id: added.id }] });
    expect((await run('users', 'list', '--page-size', '1')).stdout).toMatch(/owner@localhost[\s\S]*1 of 2\n$/);
    expect(await dataOf('users', 'remove', 'ann@example.test')).toEqual(added);
    expect(await run('users', 'show', 'ann@example.test')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no user 'ann@example.test'"),
    });
  });

  it('are invited with a link, and uninvited', async () => {
    const said = await run(
      'users',
      'invite',
      'bo@example.test,cy@example.test',
      '--workspaces',
      'Default',
      '--url',
      'https://ai.test/',
    );
    expect(said.stdout).toMatch(/bo@example\.test {2}https:\/\/ai\.test\/console\/link\/\S+\n.*cy@example/);
    expect(await dataOf('users', 'list', '--email', 'bo@')).toMatchObject({
      invitations: [{ email: 'bo@example.test' }],
    });
    await dataOf('users', 'uninvite', 'bo@example.test');
    expect(await run('users', 'uninvite', 'bo@example.test')).toMatchObject({ code: 1 });
    expect(await run('users', 'invite', 'nobody')).toMatchObject({ code: 1, stderr: 'no addresses: nobody\n' });
    expect(await run('users', 'invite', 'owner@localhost')).toMatchObject({
      code: 0,
      stdout: 'Nobody was invited.\n',
      stderr: 'members already: owner@localhost\n',
    });
  });

  it('get a new link into the console, and the one before ends', async () => {
    const first = await dataOf('users', 'link', 'owner@localhost', '--url', 'https://ai.test/');
    expect(first).toEqual({
      email: 'owner@localhost',
      url: expect.stringMatching(/^https:\/\/ai\.test\/console\/link\/[\w-]{43}$/),
      purpose: 'first_sign_in',
      expires_at: expect.any(String),
    });
    const { stdout } = await run('users', 'link', 'owner@localhost');
    expect(stdout).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/console\/link\/[\w-]{43}\n\nSets a new password for owner@localhost/,
    );
    expect(stdout).not.toContain(first.url.split('/').at(-1));
    expect(await run('users', 'link', 'nobody@example.test')).toMatchObject({ code: 1 });
  });

  it('keep their last admin, and roles must be roles', async () => {
    expect(await run('users', 'remove', 'owner@localhost')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the last admin'),
    });
    expect(await run('users', 'set-roles', 'owner@localhost', 'king')).toMatchObject({
      code: 2,
      stderr: "'king' is no role. There is: member, billing_manager, organization_admin.\n",
    });
    expect(await run('users', 'add', 'nobody')).toMatchObject({ code: 1 });
    expect(await run('users', 'list', '--page', '0')).toMatchObject({ code: 2 });
  });
});

describe('workspaces', () => {
  it('are made, changed, filled, emptied and archived', async () => {
    const made = await dataOf('workspaces', 'create', '--name', 'Research', '--admin', 'owner@localhost');
    expect(made).toMatchObject({ name: 'Research', members_count: 1 });
    expect(await dataOf('workspaces', 'update', 'Research', '--name', 'Science')).toMatchObject({ name: 'Science' });
    await dataOf('users', 'add', 'dee@example.test');
    await dataOf('workspaces', 'add-user', 'Science', 'dee@example.test', '--roles', 'dev,billing');
    expect(await dataOf('users', 'show', 'dee@example.test')).toMatchObject({
      workspaces: [{ name: 'Science', roles: ['billing', 'dev'] }],
    });
    expect((await run('workspaces', 'list')).stdout).toMatch(/Science +2 /);
    await dataOf('workspaces', 'remove-user', 'Science', 'dee@example.test');
    expect(await run('workspaces', 'remove-user', 'Science', 'dee@example.test')).toMatchObject({ code: 1 });
    await dataOf('workspaces', 'archive', made.id);
    expect(await dataOf('workspaces', 'list', '--archived')).toMatchObject({ total: 1, workspaces: [{ id: made.id }] });
    expect(await run('workspaces', 'create', '--name', 'X')).toMatchObject({ code: 2 });
    expect(await run('workspaces', 'archive', 'Default')).toMatchObject({ code: 1 });
  });
});

describe('groups', () => {
  it('have members, nesting and roles', async () => {
    await dataOf('users', 'add', 'eve@example.test');
    await dataOf('groups', 'create', 'Writers', '--description', 'They write');
    await dataOf('groups', 'create', 'Editors', '--in', 'Writers');
    await dataOf('groups', 'add-user', 'Editors', 'eve@example.test');
    await dataOf('groups', 'assign', 'Writers', 'Default', '--roles', 'contributor');
    const { stdout } = await run('groups', 'show', 'Writers');
    expect(stdout).toContain('Nested      Editors\nWorkspace   Default: contributor');
    expect((await run('groups', 'show', 'Editors')).stdout).toContain('Member      eve@example.test');
    expect(await dataOf('keys', 'create', '--user', 'eve@example.test')).toMatchObject({ user: 'eve@example.test' });
    expect(await run('groups', 'set-nested', 'Editors', 'Writers')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('circle'),
    });
    await dataOf('groups', 'set-nested', 'Writers', 'none');
    await dataOf('groups', 'remove-user', 'Editors', 'eve@example.test');
    await dataOf('groups', 'unassign', 'Writers', 'Default');
    await dataOf('groups', 'delete', 'Editors');
    expect(await dataOf('groups', 'list')).toMatchObject({ total: 1, groups: [{ name: 'Writers' }] });
  });
});

describe('the audit log', () => {
  it('is listed with filters', async () => {
    const { entries } = await dataOf('audit', 'list', '--events', 'workspace.create,user.create', '--limit', '3');
    expect(entries).toHaveLength(3);
    expect(await run('audit', 'list', '--events', 'nothing')).toMatchObject({ code: 2 });
    expect(await run('audit', 'list', '--after', 'never')).toMatchObject({ code: 2 });
    expect((await run('audit', 'list')).stdout).toMatch(/ENTRY +TIME +EVENT +WHO +WHAT\n/);
  });

  it('is exported as lines of JSON to a new file, then pruned, and is still whole', async () => {
    const file = join(temporaryDir(), 'audit.jsonl');
    const { entries } = await dataOf('audit', 'export', file);
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(entries);
    expect(lines.map(({ log_id }) => log_id)).toEqual(lines.map((_, index) => index + 1));
    expect(lines[1].previous_hash).toBe(lines[0].hash);
    expect(await run('audit', 'export', file)).toMatchObject({ code: 1 });
    expect(await dataOf('audit', 'prune', '--older-than', '1d')).toMatchObject({ pruned: 0, broken: [] });
    expect(await run('audit', 'prune')).toMatchObject({ code: 2 });
    expect(await dataOf('audit', 'verify')).toMatchObject({ ok: true });
  });
});
