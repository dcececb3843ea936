import { join } from 'node:path';

const SHARD = /^[0-9a-f]{2}$/;
const REST = /^[0-9a-f]{62}$/;
const DIGEST = /^[0-9a-f]{64}$/;

export type BlobPath = { shard: string; file: string };

/** The only function that turns a digest into a path, so no client string can leave the directory. */
export function blobPath(dir: string, sha256: string): BlobPath {
  if (!DIGEST.test(sha256)) throw new TypeError('A blob is named by a SHA-256 digest of 64 lower-case hex digits.');
  const shard = join(dir, sha256.slice(0, 2));
  return { shard, file: join(shard, sha256.slice(2)) };
}

/** The two halves of a digest; a file that has not both is not ours. */
export function isShardName(name: string): boolean {
  return SHARD.test(name);
}

export function isFileName(name: string): boolean {
  return REST.test(name);
}
