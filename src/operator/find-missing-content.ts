import { blobsDir, openBlobs } from '../compose/open-blobs.ts';
import { findNewestContent } from '../files/index.ts';
import { isoMicros } from '../kit/base/clock.ts';
import type { Database } from '../kit/db/index.ts';

export const SHARE_FILES =
  'Servers on one PostgreSQL must share this directory: mount the same volume in all of them, or restore it from a backup.';

/**
 * Servers on one PostgreSQL must share the directory of stored files. The newest file shows whether they do: a server
 * with a directory of its own lacks it. Returns the sentence for the operator, or undefined when nothing is wrong.
 */
export async function findMissingContent({ db }: Pick<Database, 'db'>, dataDir: string): Promise<string | undefined> {
  const sha256 = await findNewestContent(db, isoMicros());
  if (sha256 === undefined || (await openBlobs({ dataDir }, 'files').open(sha256))) return undefined;
  return `The file that was stored last is not in ${blobsDir(dataDir, 'files')}.`;
}
