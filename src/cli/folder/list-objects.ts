import type { ApiClient } from '../shell/api-client.ts';
import type { Kind, RemoteObject } from './kind.ts';
import { promptKind } from './prompt-kind.ts';
import { skillKind } from './skill-kind.ts';

/** In the order in which they are exported and imported. */
export const KINDS = [promptKind, skillKind] as unknown as readonly Kind[];

/** Whatever of the kind the key may see, by name; without definitions. */
export async function listObjects(api: ApiClient, { folder }: Kind): Promise<RemoteObject[]> {
  const objects: RemoteObject[] = [];
  const fields = 'id,name,sharingScope,latestVersion';
  let token = '';
  do {
    const query = `?pageSize=100&sort_by=name&sort_direction=asc&fields=${fields}&pageToken=${encodeURIComponent(token)}`;
    const page = await api.get<{ data: RemoteObject[]; nextPageToken?: string }>(`/v2/${folder}${query}`);
    objects.push(...page.data);
    token = page.nextPageToken ?? '';
  } while (token !== '');
  return objects;
}
