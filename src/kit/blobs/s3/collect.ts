import { setTimeout as delay } from 'node:timers/promises';
import type { ReferenceCheck } from '../collect-blobs.ts';
import type { S3Client } from './client.ts';
import { drain } from './upload.ts';

/**
 * A store has no rename, so a removal announces itself by a mark beside the object. Whoever writes the same content
 * looks for the mark after its write, and then whether the object is still there:
 *
 * - written before the removal's look at the object: that look sees a new time, and nothing is removed;
 * - written after it: the mark is still there, and the writer waits and writes again; or the mark is gone, then so is
 *   the object, which the writer's second look finds.
 *
 * A mark of a killed process ends by its age. A removal that took longer than that gives up.
 */
const MARK_LIFE_MS = 60_000;
const REMOVAL_MAX_MS = 20_000;
const LOOK_AGAIN_MS = 200;
/** More would mean that somebody removes the content all the time. */
const WRITES_MAX = 10;

type Place = { key: string; mark: string };

/** Writes until the object is there and nobody is about to remove it. */
export async function writeForGood(client: S3Client, place: Place, write: () => Promise<void>): Promise<void> {
  for (let i = 0; i < WRITES_MAX; i++) {
    await write();
    if (await markEnds(client, place.mark)) continue;
    if (await touchedAt(client, place.key)) return;
  }
  throw new Error('The content was removed again after each of its writes.');
}

/** Removes the object unless it is wanted: written since `untouchedSince`, or referenced. */
export async function removeUnwanted(
  client: S3Client,
  place: Place,
  { isReferenced, untouchedSince }: { isReferenced: () => Promise<boolean>; untouchedSince: Date },
): Promise<boolean> {
  const began = performance.now();
  await drain(await client.send({ method: 'PUT', key: place.mark, body: '' }));
  try {
    const touched = await touchedAt(client, place.key);
    if (touched === undefined || touched >= untouchedSince || (await isReferenced())) return false;
    if (performance.now() - began > REMOVAL_MAX_MS) return false;
    // Once only: a repeat could arrive when the mark is long gone.
    await drain(await client.send({ method: 'DELETE', key: place.key, isSentOnce: true }));
    return true;
  } finally {
    await drain(await client.send({ method: 'DELETE', key: place.mark }));
  }
}

/** Which of these are referenced is asked at once; each that is not, is asked again behind its mark. */
export async function removeSome(
  client: S3Client,
  places: ReadonlyMap<string, Place>,
  { isReferenced, untouchedSince }: { isReferenced: ReferenceCheck; untouchedSince: Date },
): Promise<number> {
  const referenced = await isReferenced([...places.keys()]);
  let removed = 0;
  for (const [sha256, place] of places) {
    if (referenced.has(sha256)) continue;
    const stillReferenced = async () => (await isReferenced([sha256])).has(sha256);
    if (await removeUnwanted(client, place, { isReferenced: stillReferenced, untouchedSince })) removed++;
  }
  return removed;
}

/** Waits while the mark is there and alive; false if there was none. */
async function markEnds(client: S3Client, mark: string): Promise<boolean> {
  for (let seen = false; ; seen = true) {
    const answer = await client.send({ method: 'HEAD', key: mark });
    await drain(answer);
    if (!answer) return seen;
    // Both times are of the store's clock.
    const { date, 'last-modified': markedAt } = answer.headers;
    if (Date.parse(String(date)) - Date.parse(String(markedAt)) > MARK_LIFE_MS) {
      await drain(await client.send({ method: 'DELETE', key: mark }));
      return true;
    }
    await delay(LOOK_AGAIN_MS);
  }
}

export async function touchedAt(client: S3Client, key: string): Promise<Date | undefined> {
  const answer = await client.send({ method: 'HEAD', key });
  await drain(answer);
  return answer && new Date(String(answer.headers['last-modified']));
}
