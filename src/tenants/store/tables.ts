import type { KeyKind, OrganizationRole, Plan, WorkspaceRole } from '../schema.ts';

export type OrganizationRow = {
  id: string;
  name: string;
  plan: Plan;
  created_at: string;
  /** Members who signed in with a password need a second factor. */
  requires_second_factor?: boolean | null | undefined;
  /** Members must have signed in with this provider. */
  required_provider?: string | null | undefined;
};
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
  /** Argon2id as a PHC string; null until the user sets a password. */
  password_hash?: string | null | undefined;
  /** The address of a member whose account is elsewhere and has not accepted yet; `email` is then a placeholder. */
  pending_email?: string | null | undefined;
  /** When a link that was mailed to the address was opened. */
  email_proven_at?: string | null | undefined;
  /** The name of a service account, which is no person; `email` is then a placeholder. */
  service_name?: string | null | undefined;
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
  /** Taken from the environment, in a format that is not ours. */
  is_irregular: boolean;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  /** JSON: the names of the models it may use; null for all. */
  allowed_models: string | null;
  /** JSON: the kinds of tools that the server may run for it; null for all. */
  allowed_tools: string | null;
};

export type InvitationRow = {
  id: string;
  organization_id: string;
  email: string;
  roles: OrganizationRole[];
  workspace_ids: string[];
  language: string | null;
  /** Whether the link was mailed, or shown to the admin who invited. */
  delivery: 'mail' | 'link';
  created_at: string;
  expires_at: string;
};

export type GroupRow = {
  id: string;
  organization_id: string;
  name: string;
  description: string | null;
  target_type: 'W' | 'O' | null;
  organization_role: OrganizationRole | null;
  created_at: string;
};

/** Totals of lists, kept by triggers. */
export type TallyNoun = 'members' | 'invitations' | 'workspaces' | 'archived_workspaces' | 'user_groups';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    organizations: OrganizationRow;
    workspaces: WorkspaceRow;
    users: UserRow;
    organization_members: { organization_id: string; user_id: string; role: OrganizationRole; created_at: string };
    workspace_members: { workspace_id: string; user_id: string; role: WorkspaceRole; created_at: string };
    api_keys: KeyRow;
    invitations: InvitationRow;
    user_groups: GroupRow;
    user_group_parents: { child_id: string; parent_id: string };
    user_group_members: { group_id: string; user_id: string; created_at: string };
    user_group_workspaces: { group_id: string; workspace_id: string; role: WorkspaceRole; created_at: string };
    tallies: { scope_id: string; noun: TallyNoun; amount: number };
  }
}
