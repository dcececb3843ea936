import { join } from 'node:path';
import { findNewestContent } from '../files/index.ts';
import { isoMicros } from '../kit/base/clock.ts';
import { createBlobs } from '../kit/blobs/index.ts';
import type { Database } from '../kit/db/index.ts';

export const filesDir = (dataDir: string): string => join(dataDir, 'blobs', 'files');

/**
 * Servers on one PostgreSQL must share the directory of stored files. One that does not lacks what the others stored, so
 * the newest file tells. Returns the sentence for the operator; undefined when nothing is wrong.
 */
export async function findMissingContent({ db }: Pick<Database, 'db'>, dataDir: string): Promise<string | undefined> {
  const sha256 = await findNewestContent(db, isoMicros());
  if (sha256 === undefined || (await createBlobs({ dir: filesDir(dataDir) }).open(sha256))) return undefined;
  return `The file that was stored last is not in ${filesDir(dataDir)}.`;
}

export const SHARE_FILES =
  'Servers on one PostgreSQL must share this directory: mount the same volume in all of them, or restore it from a backup.';
