import { describe, expect, it } from 'vitest';
import { useOperator } from '../run-here-for-tests.ts';

const { run, dataOf } = useOperator();

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
