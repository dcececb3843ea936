import { beforeAll, describe, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { boxForTests } from '../../test/support/secret-box.ts';
import { createAuditService } from '../audit/index.ts';
import { isoMicros, systemClock } from '../kit/base/clock.ts';
import { uuid } from '../kit/base/ids.ts';
import { createSignal, type Database } from '../kit/db/index.ts';
import { chooseByIdOrName } from './choose-by-id-or-name.ts';
import { createTenantService, type TenantService } from './service/tenant-service.ts';
import { insertUser } from './store/accounts.ts';
import { updateOrganizationRoles, updateWorkspaceRoles } from './store/members.ts';
import { insertWorkspace } from './store/workspaces.ts';

describe('chooseByIdOrName', () => {
  const [a, b, c] = [
    { id: '1', name: 'a' },
    { id: '2', name: 'b' },
    { id: '3', name: 'a' },
  ];

  it('takes an id, a name, or the only one', () => {
    expect(chooseByIdOrName('thing', [a, b, c], '3')).toBe(c);
    expect(chooseByIdOrName('thing', [a, b, c], 'b')).toBe(b);
    expect(chooseByIdOrName('thing', [b], undefined)).toBe(b);
  });

  it('prefers an id to a name that looks the same', () => {
    const odd = { id: '9', name: '1' };
    expect(chooseByIdOrName('thing', [odd, a], '1')).toBe(a);
  });

  it('never guesses between several, and says what there is', () => {
    expect(() => chooseByIdOrName('thing', [a, b], undefined)).toThrow(
      'There is more than one thing. Choose one: a (1), b (2).',
    );
    expect(() => chooseByIdOrName('thing', [a, b, c], 'a')).toThrow(
      "more than one thing named 'a'. Choose one by its id: a (1), a (3).",
    );
    expect(() => chooseByIdOrName('thing', [a, b], 'x')).toThrow("There is no thing 'x'. Choose one: a (1), b (2).");
    expect(() => chooseByIdOrName('thing', [], undefined)).toThrow('There is no thing here.');
  });

  it('shows ten of many', () => {
    const many = Array.from({ length: 25 }, (_, i) => ({ id: `i${i}`, name: `n${i}` }));
    expect(() => chooseByIdOrName('thing', many, undefined)).toThrow(/n9 \(i9\) and 15 more\.$/);
  });
});

onEachDatabase('the owner of a new key', (testDatabase) => {
  let database: Database;
  let tenants: TenantService;
  let organization: { id: string };
  const people: Record<string, string> = {};
  beforeAll(async () => {
    database = await testDatabase.open();
    const audit = createAuditService({ database, now: systemClock });
    const keysSignal = createSignal(database, 'keys', systemClock);
    tenants = createTenantService({ box: boxForTests, database, audit, keysSignal, now: systemClock });
    organization = await tenants.createOrganization({ name: 'Acme', plan: 'team', ownerEmail: 'ann@x.test' });
  });

  const created_at = isoMicros();
  const addWorkspace = async (name: string, archived_at: string | null = null) => {
    const id = uuid();
    const row = {
      id,
      organization_id: organization.id,
      name,
      description: '',
      icon: '',
      is_default: false,
      archived_at,
      created_at,
    };
    await insertWorkspace(database.db, row);
    return id;
  };
  const addMember = async (email: string, role: 'member' | 'organization_admin') => {
    people[email] ??= uuid();
    const id = people[email];
    await database.transaction(async (tx) => {
      await insertUser(tx, { id, email, first_name: null, last_name: null, created_at });
      await updateOrganizationRoles(tx, organization.id, { id, created_at }, [role]);
    });
  };
  const create = (wanted: object) => tenants.keys.create({ kind: 'standard', ...wanted });

  it('defaults to the only workspace and the only admin', async () => {
    await addMember('bo@x.test', 'member');
    await addWorkspace('Old', created_at);
    const key = await create({});
    expect(key).toMatchObject({ workspace: { name: 'Default' }, user: { email: 'ann@x.test' } });
    await expect(create({ workspace: 'Old' })).rejects.toThrow("There is no workspace 'Old'");
  });

  it('of an admin key is the organization, not a workspace or a user', async () => {
    for (const wanted of [{ workspace: 'Default' }, { user: 'ann@x.test' }])
      await expect(create({ kind: 'admin', ...wanted })).rejects.toMatchObject({ code: 'admin_key_scope' });
    expect(await create({ kind: 'admin' })).toMatchObject({ workspace: null, user: null });
  });

  it('must be named when there are several workspaces', async () => {
    const id = await addWorkspace('Lab');
    await expect(create({})).rejects.toThrow(/more than one workspace\. Choose one: .*Lab \(/);
    expect(await create({ workspace: 'Lab' })).toMatchObject({ workspace: { id, name: 'Lab' } });
  });

  it('must have a role in the workspace', async () => {
    const wanted = { workspace: 'Lab', user: 'bo@x.test' };
    await expect(create(wanted)).rejects.toThrow('bo@x.test is no member of the workspace Lab');
    const { workspace } = await create({ workspace: 'Lab' });
    const id = people['bo@x.test'] ?? '';
    await database.transaction((tx) => updateWorkspaceRoles(tx, workspace?.id ?? '', id, ['dev'], created_at));
    expect(await create(wanted)).toMatchObject({ user: { email: 'bo@x.test' } });
  });

  it('must be named when there are several admins', async () => {
    await addMember('cy@x.test', 'organization_admin');
    await expect(create({ workspace: 'Lab' })).rejects.toThrow(
      /more than one user\. Choose one: .*(ann|cy)@x\.test \(.*(ann|cy)@x\.test \(/,
    );
    expect(await create({ workspace: 'Lab', user: 'cy@x.test' })).toMatchObject({ user: { email: 'cy@x.test' } });
  });
});
