import { describe, expect, it } from 'vitest';
import { useOperator } from '../run-here-for-tests.ts';

const { run, dataOf } = useOperator();

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
