import { StorageFailure } from '../../base/storage-failure.ts';
import type { S3Client } from './client.ts';
import type { Spool } from './spool.ts';
import { codeOfError, elementsOf, textOf } from './xml.ts';

const PART_BYTES_MIN = 8 * 1024 * 1024;
/** Stores take 10,000 at most. */
const PARTS_MAX = 9_000;
const PARTS_AT_ONCE = 2;

/** Writes one object. When it resolves, the store has it; a failure leaves no object of this name that was not there. */
export async function upload(client: S3Client, key: string, content: Spool): Promise<void> {
  if (content.bytes <= PART_BYTES_MIN) {
    const body = await content.read(0, content.bytes);
    await drain(await client.send({ method: 'PUT', key, body, headers: { 'content-length': String(body.length) } }));
    return;
  }
  const begun = await client.send({ method: 'POST', key, query: { uploads: '' } });
  const uploadId = begun && textOf(await begun.body.text(), 'UploadId');
  if (uploadId === undefined) throw new StorageFailure('failing', 'The store began no upload in parts.');
  try {
    await complete(client, key, uploadId, await sendParts(client, key, uploadId, content), content.bytes);
  } catch (error) {
    // What cannot be ended now is ended by a later sweep.
    await abort(client, key, uploadId).catch(() => undefined);
    throw error;
  }
}

async function sendParts(client: S3Client, key: string, uploadId: string, content: Spool): Promise<string[]> {
  const partBytes = Math.max(PART_BYTES_MIN, Math.ceil(content.bytes / PARTS_MAX));
  const etags: string[] = Array.from({ length: Math.ceil(content.bytes / partBytes) }, () => '');
  const numbers = etags.keys();
  let failed = false;
  const sendNext = async () => {
    // Shared between the senders: each takes the next part.
    for (const i of numbers) {
      if (failed) return;
      const start = i * partBytes;
      const body = await content.read(start, Math.min(partBytes, content.bytes - start));
      const query = { partNumber: String(i + 1), uploadId };
      const answer = await client.send({ method: 'PUT', key, query, body }).catch((error: unknown) => {
        failed = true;
        throw error;
      });
      const etag = answer?.headers.etag;
      await drain(answer);
      if (typeof etag !== 'string') throw new StorageFailure('failing', 'The store took a part without naming it.');
      etags[i] = etag;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: PARTS_AT_ONCE }, sendNext));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return etags;
}

async function complete(client: S3Client, key: string, uploadId: string, etags: string[], bytes: number) {
  const parts = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  const headers = { 'content-type': 'application/xml' };
  const answer = await client.send({ method: 'POST', key, query: { uploadId }, body, headers });
  // It may fail after its status was sent. An upload that is not known was completed by an attempt whose answer was lost.
  const code = answer === undefined ? '' : codeOfError(await answer.body.text());
  if (answer !== undefined && code === '') return;
  const found = await client.send({ method: 'HEAD', key });
  await drain(found);
  if (Number(found?.headers['content-length']) === bytes && code === '') return;
  throw new StorageFailure('failing', `The store did not complete an upload: ${code || 'it is not known any more'}.`);
}

async function abort(client: S3Client, key: string, uploadId: string): Promise<void> {
  await drain(await client.send({ method: 'DELETE', key, query: { uploadId } }));
}

/** Ends uploads that were begun before this time and not completed. */
export async function abortOldUploads(client: S3Client, dir: string, before: Date): Promise<void> {
  const { prefix } = client.bucket;
  const answer = await client.send({ method: 'GET', query: { uploads: '', prefix: prefix + dir } });
  const xml = (await answer?.body.text()) ?? '';
  for (const one of elementsOf(xml, 'Upload')) {
    const [key, uploadId, initiated] = [textOf(one, 'Key'), textOf(one, 'UploadId'), textOf(one, 'Initiated')];
    if (!key?.startsWith(prefix + dir) || !uploadId || !initiated || new Date(initiated) >= before) continue;
    await abort(client, key.slice(prefix.length), uploadId);
  }
}

export async function drain(answer: { body: { dump(): Promise<void> } } | undefined): Promise<void> {
  await answer?.body.dump();
}
