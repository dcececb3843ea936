import { describe, expect, it } from 'vitest';
import { useOperator } from '../run-here-for-tests.ts';

const { run, dataOf } = useOperator();

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
    expect(await run('users', 'invite', 'nobody')).toMatchObject({
      code: 1,
      stderr: 'invalid email addresses: nobody\n',
    });
    expect(await run('users', 'invite', 'owner@localhost')).toMatchObject({
      code: 0,
      stdout: 'No one was invited.\n',
      stderr: 'already members: owner@localhost\n',
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
      stderr: "'king' is not a valid role. Choose from: member, billing_manager, organization_admin.\n",
    });
    expect(await run('users', 'add', 'nobody')).toMatchObject({ code: 1 });
    expect(await run('users', 'list', '--page', '0')).toMatchObject({ code: 2 });
  });
});
