import { type BlobPlace, nameBlobs, openBlobs } from '../compose/open-blobs.ts';
import { findNewestContent } from '../files/index.ts';
import { isoMicros } from '../kit/base/clock.ts';
import { StorageFailure } from '../kit/base/storage-failure.ts';
import type { Database } from '../kit/db/index.ts';

const FIXES = {
  directory:
    'Servers on one PostgreSQL must share this directory: mount the same volume in all of them, keep files in an S3-compatible store (TRAMONTANE_BLOBS), or restore it from a backup.',
  s3: 'Bring the files there with "tramontane blobs copy", or correct TRAMONTANE_BLOBS.',
};
const FIX_STORE = 'Correct TRAMONTANE_BLOBS and the variables AWS_…, or start the store.';

/**
 * Servers on one PostgreSQL must share the place of stored files. The newest file shows whether they do: a server with
 * a place of its own lacks it. Returns words for the operator, or undefined when nothing is wrong.
 */
export async function findMissingContent(
  { db }: Pick<Database, 'db'>,
  place: BlobPlace,
): Promise<{ what: string; fix: string } | undefined> {
  const sha256 = await findNewestContent(db, isoMicros());
  try {
    // Where nothing was stored yet, the question alone shows whether a store answers.
    if ((await openBlobs(place, 'files').open(sha256 ?? NOTHING)) || sha256 === undefined) return undefined;
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    return { what: error.message, fix: FIX_STORE };
  }
  return {
    what: `The file that was stored last is not in ${nameBlobs(place, 'files')}.`,
    fix: FIXES[place.blobs.kind],
  };
}

/** The name of content that nobody stores. */
const NOTHING = '0'.repeat(64);
