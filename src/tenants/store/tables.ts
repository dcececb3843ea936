import type { KeyKind } from '../key-format.ts';
import type { OrganizationRole, WorkspaceRole } from '../permissions.ts';
import type { Plan } from '../schema.ts';

export type OrganizationRow = { id: string; name: string; plan: Plan; created_at: string };
export type WorkspaceRow = {
  id: string;
  organization_id: string;
  name: string;
  description: string;
  icon: string;
  is_default: boolean;
  archived_at: string | null;
  created_at: string;
};
export type UserRow = {
  id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  created_at: string;
};
export type KeyRow = {
  id: string;
  kind: KeyKind;
  organization_id: string;
  /** A standard key belongs to one user in one workspace, an admin key to the organization alone. */
  workspace_id: string | null;
  user_id: string | null;
  name: string | null;
  hash: string;
  hint: string;
  /** Taken from the environment as it was, so its form says nothing. */
  is_irregular: boolean;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    organizations: OrganizationRow;
    workspaces: WorkspaceRow;
    users: UserRow;
    organization_members: { organization_id: string; user_id: string; role: OrganizationRole; created_at: string };
    workspace_members: { workspace_id: string; user_id: string; role: WorkspaceRole; created_at: string };
    api_keys: KeyRow;
  }
}
