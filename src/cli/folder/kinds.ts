import type { ApiClient } from '../shell/api-client.ts';
import type { Kind, RemoteObject } from './kind.ts';
import { promptKind } from './prompt-kind.ts';
import { skillKind } from './skill-kind.ts';

/** In the order of export and import. */
export const KINDS = [promptKind, skillKind] as unknown as readonly Kind[];

/** All objects of a kind that the key can read, without their definitions. */
export function listObjects(api: ApiClient, { folder }: Kind): Promise<RemoteObject[]> {
  return api.list(`/v2/${folder}`, { fields: 'id,name,sharingScope,latestVersion' });
}
