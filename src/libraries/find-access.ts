import type { Db } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { libraryErrors } from './errors.ts';
import { findLibrary, type Viewer } from './store/libraries.ts';
import { listRolesOf } from './store/shares.ts';
import type { LibraryRow } from './store/tables.ts';

export type Role = 'Owner' | 'Editor' | 'Viewer';

const RANK: Readonly<Record<Role, number>> = { Viewer: 0, Editor: 1, Owner: 2 };

export function viewerOf({ organization_id, workspace_id, user_id }: Scope): Viewer {
  return { organizationId: organization_id, workspaceId: workspace_id, userId: user_id };
}

/** The library, if the caller has at least this role in it. One that the caller does not see is missing. */
export async function findAccess(db: Db, scope: Scope, id: string, needed: Role): Promise<LibraryRow> {
  const viewer = viewerOf(scope);
  const library = await findLibrary(db, viewer, id);
  if (!library) throw libraryErrors.library_not_found(id);
  if (needed === 'Viewer' || isOwner(library, viewer)) return library;
  const roles = needed === 'Owner' ? [] : await listRolesOf(db, library.id, viewer);
  if (!roles.some((role) => RANK[role] >= RANK[needed])) throw libraryErrors.library_access_denied(needed);
  return library;
}

/** Everybody in its workspace owns a library of the workspace, as far as their permissions go. */
function isOwner(library: LibraryRow, { workspaceId, userId }: Viewer): boolean {
  return library.workspace_id === workspaceId && (library.owner_type === 'Workspace' || library.owner_id === userId);
}
