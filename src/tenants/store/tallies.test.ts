import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { boxForTests } from '../../../test/support/secret-box.ts';
import { createAuditService } from '../../audit/index.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { createSignal, type Database } from '../../kit/db/index.ts';
import { createTenantService, OPERATOR, type TenantService } from '../index.ts';
import { findTally } from './tallies.ts';

onEachDatabase('the totals of lists', (test) => {
  let database: Database;
  let tenants: TenantService;
  let id: string;
  beforeAll(async () => {
    database = await test.open();
    const audit = createAuditService({ database, now: systemClock });
    const keysSignal = createSignal(database, 'keys', systemClock);
    tenants = createTenantService({ box: boxForTests, database, audit, keysSignal, now: systemClock });
    id = (await tenants.createOrganization({ name: 'O', plan: 'enterprise', ownerEmail: 'o@example.test' })).id;
  });
  afterAll(() => database.close());

  const counted = async (table: string, scope: string, member: string, value: string) => {
    const query = sql<{
      n: number;
    }>`select count(distinct ${sql.ref(member)}) as n from ${sql.table(table)} where ${sql.ref(scope)} = ${value}`;
    return Number((await query.execute(database.db)).rows[0]?.n);
  };

  it('count a member once, whatever their roles, however they come and go', async () => {
    const by = { organization_id: id, actor: OPERATOR };
    const person = (email: string) => ({
      email,
      first_name: 'A',
      last_name: 'B',
      roles: ['member', 'billing_manager'] as const,
    });
    const { ids } = await tenants.members.create(by, [person('a@example.test'), person('b@example.test')]);
    const [a = '', b = ''] = [...ids.values()];
    expect(await findTally(database.db, id, 'members')).toBe(3);
    await tenants.members.setRoles(by, a, ['organization_admin']);
    expect(await findTally(database.db, id, 'members')).toBe(3);
    // Both roles in one statement, which is where a trigger could count twice.
    await database.db.deleteFrom('organization_members').where('user_id', '=', b).execute();
    expect(await findTally(database.db, id, 'members')).toBe(2);
    const created_at = new Date().toISOString();
    const rows = (['member', 'billing_manager'] as const).map((role) => ({
      organization_id: id,
      user_id: b,
      role,
      created_at,
    }));
    await database.db.insertInto('organization_members').values(rows).execute();
    expect(await findTally(database.db, id, 'members')).toBe(3);
    expect(await counted('organization_members', 'organization_id', 'user_id', id)).toBe(3);
  });

  it('follow workspaces into the archive', async () => {
    const by = { organization_id: id, actor: OPERATOR };
    const { members } = await tenants.members.list(id, { offset: 0, limit: 1 });
    const input = { name: 'W', description: '', icon: '', adminId: members[0]?.id ?? '', addsEverybody: true };
    const workspace = await tenants.workspaces.create(by, input);
    expect(workspace.members_count).toBe(await counted('workspace_members', 'workspace_id', 'user_id', workspace.id));
    expect(await findTally(database.db, id, 'workspaces')).toBe(2);
    await tenants.workspaces.archive(by, workspace.id);
    expect([
      await findTally(database.db, id, 'workspaces'),
      await findTally(database.db, id, 'archived_workspaces'),
    ]).toEqual([1, 1]);
  });
});
