import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import type { Tx } from '../../kit/db/index.ts';
import { type Caller, OPERATOR } from '../caller.ts';
import { chooseByIdOrName } from '../choose-by-id-or-name.ts';
import { tenantErrors } from '../errors.ts';
import { lockAccounts, placePerson } from '../place-person.ts';
import type { Plan } from '../schema.ts';
import { updateOrganizationRoles, updateWorkspaceRoles } from '../store/members.ts';
import {
  findOrganization,
  insertOrganization,
  listOrganizations,
  updatePlan,
  updateSignInRules,
} from '../store/organizations.ts';
import type { OrganizationRow, WorkspaceRow } from '../store/tables.ts';
import { findWorkspaceById, insertWorkspace, listWorkspaces } from '../store/workspaces.ts';
import type { TenantPorts } from './ports.ts';

const EMAIL = /^[^\s@]+@[^\s@]+$/;

export type SignInRules = { secondFactor: boolean; provider: string | null };

type NewOrganization = {
  name: string;
  plan: Plan;
  ownerEmail: string;
  /** The owner's account joins without being asked: the operator's word. */
  joinsExisting?: boolean;
};

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
  /** How members must have signed in. */
  setSignInRules(caller: Caller, rules: SignInRules): Promise<void>;
  signInRules(organizationId: string): Promise<SignInRules>;
};

export function createOrganizationService({ database, audit, keysSignal, now }: TenantPorts): OrganizationService {
  const chooseOrganization = async (idOrName: string | undefined) =>
    chooseByIdOrName('organization', await listOrganizations(database.db), idOrName);

  return {
    createOrganization: ({ name, ...rest }) =>
      database.transaction(async (tx) => {
        if (name.trim() === '') throw tenantErrors.name_missing('An organization');
        if (!EMAIL.test(rest.ownerEmail)) throw tenantErrors.email_invalid(rest.ownerEmail);
        return (await insertTenant(tx, { database, audit, now }, { ...rest, name: name.trim() })).organization;
      }),
    listOrganizations: () => listOrganizations(database.db),
    chooseOrganization,
    async chooseWorkspace({ organization, workspace }) {
      const { id } = await chooseOrganization(organization);
      return chooseByIdOrName('workspace', await listWorkspaces(database.db, id), workspace);
    },
    listWorkspaces: (organizationId) => listWorkspaces(database.db, organizationId),
    organizationOf: async (workspaceId) => (await findWorkspaceById(database.db, workspaceId))?.organization_id,
    async signInRules(organizationId) {
      const found = await findOrganization(database.db, organizationId);
      return { secondFactor: Boolean(found?.requires_second_factor), provider: found?.required_provider ?? null };
    },
    setSignInRules: (caller, { secondFactor, provider }) =>
      database.transaction(async (tx) => {
        const { organization_id: id } = caller;
        await updateSignInRules(tx, id, { requires_second_factor: secondFactor, required_provider: provider });
        keysSignal.raise(tx);
        await audit.record(tx, {
          ...caller,
          event_type: 'organization.sign_in_rules.update',
          event_metadata: { second_factor: secondFactor ? 'required' : 'optional', provider: provider ?? 'any' },
          target_type: 'ORGANIZATION',
          target_metadata: { id },
        });
      }),
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
  { database, audit, now }: Pick<TenantPorts, 'database' | 'audit' | 'now'>,
  { name, plan, ownerEmail, joinsExisting = false }: NewOrganization,
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
  await lockAccounts(tx, database.kind);
  const person = { email: ownerEmail, first_name: null, last_name: null };
  const { id } = await placePerson(tx, person, { created_at, joinsExisting });
  const owner = { id, email: ownerEmail };
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
    ...(joinsExisting && { event_metadata: { existing_account: 'joins' } }),
    target_type: 'USER',
    target_metadata: { id: owner.id, email: owner.email },
  });
  return { organization, workspace, owner };
}
