import { randomBytes } from 'node:crypto';
import { nameBlobs, openBlobs } from '../../compose/open-blobs.ts';
import type { Config } from '../../config/config.ts';
import { StorageFailure } from '../../kit/base/storage-failure.ts';
import { type Check, fail, ok } from './check.ts';

const NAME = 'store';

/** Whether a store takes, returns and removes content; no check where files are in the data dir. */
export async function checkBlobs(config: Config): Promise<Check[]> {
  if (config.blobs.kind === 'directory') return [];
  const blobs = openBlobs(config, 'files');
  const where = nameBlobs(config, 'files');
  try {
    const { sha256 } = await blobs.put(randomBytes(1024));
    const isIntact = await blobs.verify(sha256);
    await blobs.remove(sha256);
    if (isIntact) return [ok(NAME, `${where} at ${config.blobs.endpoint} can be written and read`)];
    return [fail(NAME, `${where} returned other content than was written`, 'use another store')];
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
    return [fail(NAME, error.message, 'correct TRAMONTANE_BLOBS and the variables AWS_…, or start the store')];
  }
}
