import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import type { Tx } from '../../kit/db/index.ts';
import { OPERATOR } from '../caller.ts';
import { chooseByIdOrName } from '../choose-by-id-or-name.ts';
import { tenantErrors } from '../errors.ts';
import type { Plan } from '../schema.ts';
import { findUserByEmail, insertUser, updateOrganizationRoles, updateWorkspaceRoles } from '../store/members.ts';
import { findOrganization, insertOrganization, listOrganizations, updatePlan } from '../store/organizations.ts';
import type { OrganizationRow, UserRow, WorkspaceRow } from '../store/tables.ts';
import { findWorkspaceById, insertWorkspace, listWorkspaces } from '../store/workspaces.ts';
import type { TenantPorts } from './ports.ts';

const EMAIL = /^[^\s@]+@[^\s@]+$/;

type NewOrganization = { name: string; plan: Plan; ownerEmail: string };

export type OrganizationService = {
  createOrganization(input: NewOrganization): Promise<OrganizationRow>;
  listOrganizations(): Promise<OrganizationRow[]>;
  /** By id or name; without one, the only organization. */
  chooseOrganization(idOrName: string | undefined): Promise<OrganizationRow>;
  /** Both by id or name; without one, the only one. */
  chooseWorkspace(wanted: { organization: string | undefined; workspace: string | undefined }): Promise<WorkspaceRow>;
  listWorkspaces(organizationId: string): Promise<WorkspaceRow[]>;
  organizationOf(workspaceId: string): Promise<string | undefined>;
  setPlan(organizationId: string, plan: Plan): Promise<OrganizationRow | undefined>;
};

export function createOrganizationService({ database, audit, keysSignal, now }: TenantPorts): OrganizationService {
  const chooseOrganization = async (idOrName: string | undefined) =>
    chooseByIdOrName('organization', await listOrganizations(database.db), idOrName);

  return {
    createOrganization: ({ name, plan, ownerEmail }) =>
      database.transaction(async (tx) => {
        if (name.trim() === '') throw tenantErrors.name_missing('An organization');
        if (!EMAIL.test(ownerEmail)) throw tenantErrors.email_invalid(ownerEmail);
        return (await insertTenant(tx, { audit, now }, { name: name.trim(), plan, ownerEmail })).organization;
      }),
    listOrganizations: () => listOrganizations(database.db),
    chooseOrganization,
    async chooseWorkspace({ organization, workspace }) {
      const { id } = await chooseOrganization(organization);
      return chooseByIdOrName('workspace', await listWorkspaces(database.db, id), workspace);
    },
    listWorkspaces: (organizationId) => listWorkspaces(database.db, organizationId),
    organizationOf: async (workspaceId) => (await findWorkspaceById(database.db, workspaceId))?.organization_id,
    setPlan: (organizationId, plan) =>
      database.transaction(async (tx) => {
        if (!(await updatePlan(tx, organizationId, plan))) return undefined;
        await audit.record(tx, {
          organization_id: organizationId,
          actor: OPERATOR,
          event_type: 'organization.kind.update',
          event_metadata: { plan },
          target_type: 'ORGANIZATION',
          target_metadata: { id: organizationId },
        });
        keysSignal.raise(tx);
        return findOrganization(tx, organizationId);
      }),
  };
}

/** An organization with its default workspace and its owner. */
export async function insertTenant(
  tx: Tx,
  { audit, now }: Pick<TenantPorts, 'audit' | 'now'>,
  { name, plan, ownerEmail }: NewOrganization,
) {
  const created_at = isoMicros(now);
  const organization: OrganizationRow = { id: uuid(), name, plan, created_at };
  const workspace: WorkspaceRow = {
    id: uuid(),
    organization_id: organization.id,
    name: 'Default',
    description: '',
    icon: '',
    is_default: true,
    archived_at: null,
    created_at,
  };
  await insertOrganization(tx, organization);
  await insertWorkspace(tx, workspace);
  const known = await findUserByEmail(tx, ownerEmail);
  const owner: UserRow = known ?? { id: uuid(), email: ownerEmail, first_name: null, last_name: null, created_at };
  if (!known) await insertUser(tx, owner);
  await updateOrganizationRoles(tx, organization.id, { id: owner.id, created_at }, ['organization_admin']);
  await updateWorkspaceRoles(tx, workspace.id, owner.id, ['workspace_admin'], created_at);
  const caller = { organization_id: organization.id, actor: OPERATOR };
  await audit.record(tx, {
    ...caller,
    event_type: 'organization.create',
    target_type: 'ORGANIZATION',
    target_metadata: { id: organization.id, name },
  });
  await audit.record(tx, {
    ...caller,
    workspace_id: workspace.id,
    event_type: 'workspace.create',
    target_type: 'WORKSPACE',
    target_metadata: { id: workspace.id, name: workspace.name },
  });
  await audit.record(tx, {
    ...caller,
    event_type: 'user.organization.join',
    target_type: 'USER',
    target_metadata: { id: owner.id, email: owner.email },
  });
  return { organization, workspace, owner };
}
