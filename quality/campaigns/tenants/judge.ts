import { ask } from '../serve/ask.ts';
import { exceptionFor } from './exceptions.ts';
import type { Kind } from './id-fields.ts';
import { maskAnswer, maskHead } from './mask.ts';
import type { Schema } from './operations.ts';
import { describePlace, type Place } from './places.ts';
import { credentialsFor, questionOf } from './question.ts';
import { missingLike, type World, type Worlds } from './worlds.ts';

/** Shared by all workspaces of an organization. */
export const SHARED: readonly Kind[] = [
  'organization',
  'workspace',
  'user',
  'group',
  'invitation',
  'key',
  'adminKey',
  'serviceAccount',
  'session',
];
/** Visible to the owner alone, also within the workspace. */
export const PRIVATE: readonly Kind[] = [
  'conversation',
  'entry',
  'file',
  'prompt',
  'promptModel',
  'skill',
  'skillReference',
  'session',
];
const REFUSALS = [401, 403, 404];

export type Verdict = { asked: number; wrongStatus: string[]; told: string[]; leaked: string[] };

/** Whether the asker has no access to the object at this place, so that it must look missing. */
export function isForeign(worlds: Worlds, asker: World, { operation, kind }: Place): boolean {
  if (credentialsFor(operation, asker) === undefined) return false;
  if (asker === worlds.colleague)
    return PRIVATE.includes(kind) || (kind === 'key' && operation.route.surface === 'console');
  if (asker.organizationId !== worlds.owner.organizationId || !SHARED.includes(kind)) return true;
  return kind === 'key' && asker.userId !== worlds.owner.userId && operation.route.surface === 'console';
}

/** Requests the owner's object and a missing one, and compares the responses. */
export async function judgePlaces(
  worlds: Worlds,
  asker: World,
  places: readonly Place[],
  resolve: (schema: Schema) => Schema,
): Promise<Verdict> {
  const verdict: Verdict = { asked: 0, wrongStatus: [], told: [], leaked: [] };
  for (const place of places) {
    const { operation } = place;
    const headers = credentialsFor(operation, asker) ?? {};
    const theirs = worlds.owner.ids[place.kind] ?? '';
    const missingId = missingLike(theirs);
    const put = (id: string) => ask(worlds.server.url, questionOf(operation, resolve, asker, headers, { place, id }));
    const [missing, foreign] = [await put(missingId), await put(theirs)];
    verdict.asked += 2;
    const where = `${asker.name}: ${describePlace(place)}`;
    const exception = exceptionFor(place);
    const allowed = [...REFUSALS, ...(exception?.statuses ?? [])];
    if (!allowed.includes(foreign.status)) verdict.wrongStatus.push(`${where} → ${foreign.status} ${foreign.text}`);
    const compared = exception?.changes ? maskHead : maskAnswer;
    const [shown, expected] = [compared(foreign, theirs), compared(missing, missingId)];
    if (shown !== expected) verdict.told.push(`${where}: ${shown} INSTEAD OF ${expected}`);
    for (const [kind, id] of Object.entries(worlds.owner.ids) as [Kind, string][])
      if (kind !== place.kind && isOnlyOwners(worlds, asker, kind) && !theirs.includes(id) && foreign.text.includes(id))
        verdict.leaked.push(`${where} shows the owner's ${kind}`);
  }
  return verdict;
}

/** Whether the owner's object of this kind must be hidden from the asker. */
export function isOnlyOwners(worlds: Worlds, asker: World, kind: Kind): boolean {
  if (asker === worlds.colleague) return PRIVATE.includes(kind);
  const shared = asker.organizationId === worlds.owner.organizationId ? SHARED : [];
  return !shared.includes(kind) && asker.ids[kind] !== worlds.owner.ids[kind];
}
