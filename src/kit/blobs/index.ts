export { type Blobs, createBlobs, type OpenBlob } from './blobs.ts';
export { BlobTooLarge } from './errors.ts';
export type { BlobSource, StoredBlob } from './write-content.ts';
