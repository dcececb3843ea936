import { useQuery } from '@tanstack/react-query';
import type { Choice } from '../../ui/field.tsx';
import { rolesQuery } from './queries.ts';

export type RoleKind = 'organization' | 'workspace';

/** `workspace_admin` → `Workspace admin`. */
export function roleLabel(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Roles by ID, as in responses, and as options by name, as in requests. */
export function useRoles(kind: RoleKind) {
  const { data } = useQuery(rolesQuery);
  const roles = (kind === 'organization' ? data?.organization_roles : data?.workspace_roles) ?? [];
  const byId = new Map(roles.map((role) => [role.uuid as string, role.name as string]));
  return {
    choices: roles.map((role): Choice => ({ value: role.name, label: roleLabel(role.name) })),
    describe: (name: string) => roles.find((role) => role.name === name)?.description ?? '',
    names: (ids: readonly string[] | null | undefined) => (ids ?? []).map((id) => byId.get(id) ?? id),
  };
}
