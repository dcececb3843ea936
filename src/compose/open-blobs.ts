import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { type Blobs, createBlobs, createS3Blobs, createS3Client } from '../kit/blobs/index.ts';

/** Each room keeps its blobs apart, because a room collects what it does not refer to. */
export const BLOB_ROOMS = ['files', 'libraries', 'voices', 'workflows', 'batch', 'adapters'] as const;
export type BlobRoom = (typeof BLOB_ROOMS)[number];
export type BlobPlace = Pick<Config, 'dataDir' | 'blobs'>;

/** A room's directory of blobs in the data dir. */
export function blobsDir(dataDir: string, room: BlobRoom): string {
  return join(dataDir, 'blobs', room);
}

export function openBlobs({ dataDir, blobs }: BlobPlace, room: BlobRoom): Blobs {
  if (blobs.kind === 'directory') return createBlobs({ dir: blobsDir(dataDir, room) });
  return createS3Blobs(createS3Client(blobs), room, join(dataDir, 'spool'));
}

/** For people: where a room's blobs are. */
export function nameBlobs({ dataDir, blobs }: BlobPlace, room: BlobRoom): string {
  return blobs.kind === 'directory' ? blobsDir(dataDir, room) : `s3://${blobs.bucket}/${blobs.prefix}${room}`;
}
