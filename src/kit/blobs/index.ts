export { type Blobs, createBlobs, type OpenBlob, type StagedBlob } from './blobs.ts';
export type { ReferenceCheck } from './collect-blobs.ts';
export { CONTENT_GRACE_MS, CONTENT_QUEUE, type DeletedContent, deletedContent } from './deleted-content.ts';
export { BlobTooLarge } from './errors.ts';
export { createS3Client, type S3Bucket } from './s3/client.ts';
export { createS3Blobs } from './s3/s3-blobs.ts';
export type { BlobSource, StoredBlob } from './write-content.ts';
