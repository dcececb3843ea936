import type { Document } from '../library/documents.ts';
import { listLibraries } from '../library/find-library.ts';
import type { ApiClient } from '../shell/api-client.ts';
import type { Sharing } from './kind.ts';

export type RemoteLibrary = {
  id: string;
  name: string;
  description?: string | null;
  chunk_size: number | null;
  owner_id: string | null;
  created_at: string;
  sharing: Sharing;
};
export type RemoteDocument = Document & { mime_type: string | null; expires_at?: string | null };

/** Those of the workspace and those of the user, oldest first; what others share belongs to their workspaces. */
export async function listOwnLibraries(api: ApiClient): Promise<RemoteLibrary[]> {
  const me = await api.get<{ id: string; workspace: { id: string } }>('/v1/users/me');
  const libraries = (await listLibraries(api)) as unknown as Omit<RemoteLibrary, 'sharing'>[];
  const sharingOf = (owner: string | null): Sharing => (owner === me.id ? 'private' : 'workspace');
  return libraries
    .filter(({ owner_id }) => owner_id === me.workspace.id || owner_id === me.id)
    .map((library) => ({ ...library, sharing: sharingOf(library.owner_id) }))
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

const keyOf = ({ name, created_at, id }: RemoteLibrary) => JSON.stringify([name, created_at, id]);
