import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { type Blobs, createBlobs } from '../kit/blobs/index.ts';

/** A room's directory of blobs in the data dir. */
export function blobsDir(dataDir: string, room: 'files' | 'libraries' | 'voices' | 'workflows' | 'batch'): string {
  return join(dataDir, 'blobs', room);
}

export function openBlobs({ dataDir }: Pick<Config, 'dataDir'>, room: Parameters<typeof blobsDir>[1]): Blobs {
  return createBlobs({ dir: blobsDir(dataDir, room) });
}
