import { createHash } from 'node:crypto';
import { systemClock } from '../../base/clock.ts';
import { StorageFailure } from '../../base/storage-failure.ts';
import { blobPath } from '../blob-path.ts';
import type { Blobs, ByteRange } from '../blobs.ts';
import { inBatches } from '../collect-blobs.ts';
import type { S3Client } from './client.ts';
import { removeSome, writeForGood } from './collect.ts';
import { type ListedBlob, listObjects } from './list.ts';
import { spool } from './spool.ts';
import { abortOldUploads, drain, upload } from './upload.ts';

/** A cut connection is taken up where it ended. */
const RESUMES_MAX = 3;
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Blobs in an S3-compatible store: the same names as in a directory, below `room`. `spoolDir` is for what is on its way. */
export function createS3Blobs(
  client: S3Client,
  room: string,
  spoolDir: string,
  { keysPerPage = 1000 }: { keysPerPage?: number } = {},
): Blobs {
  const dir = `${room}/`;
  const listAll = () => listObjects(client, dir, keysPerPage);
  const placeOf = (sha256: string) => ({
    key: blobPath(room, sha256).file.replaceAll('\\', '/'),
    mark: `${dir}tmp/collected-${sha256}`,
  });
  const find = async (sha256: string) => {
    const answer = await client.send({ method: 'HEAD', key: placeOf(sha256).key });
    await drain(answer);
    return answer && Number(answer.headers['content-length'] ?? 0);
  };

  const stage: Blobs['stage'] = async (source, { bytesMax = Number.POSITIVE_INFINITY } = {}) => {
    const content = await spool(spoolDir, source, bytesMax);
    const { sha256, bytes } = content;
    let isDecided = false;
    const end = async () => {
      if (isDecided) return;
      isDecided = true;
      await content.close();
    };
    return {
      sha256,
      bytes,
      discard: end,
      async publish() {
        if (isDecided) return;
        const place = placeOf(sha256);
        await writeForGood(client, place, () => upload(client, place.key, content));
        await end();
      },
    };
  };

  async function* stream(sha256: string, bytes: number, { start = 0, end = bytes - 1 }: ByteRange = {}) {
    const last = Math.min(end, bytes - 1);
    for (let at = start, resumes = 0; at <= last; ) {
      const headers = { range: `bytes=${at}-${last}` };
      const answer = await client.send({ method: 'GET', key: placeOf(sha256).key, headers });
      if (!answer) throw new StorageFailure('failing', 'The content was removed from the store while it was read.');
      try {
        for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
          at += chunk.byteLength;
          yield chunk;
        }
      } catch (cause) {
        if (++resumes > RESUMES_MAX) throw cutOff(cause);
      }
    }
  }

  const collectSome: Blobs['collectSome'] = (sha256s, options) =>
    removeSome(client, new Map(sha256s.map((sha256) => [sha256, placeOf(sha256)])), options);

  return {
    stage,
    collectSome,

    async put(source, options) {
      const staged = await stage(source, options);
      try {
        await staged.publish();
      } finally {
        await staged.discard();
      }
      return { sha256: staged.sha256, bytes: staged.bytes };
    },

    async open(sha256) {
      const bytes = await find(sha256);
      return bytes === undefined ? undefined : { bytes, stream: (range) => stream(sha256, bytes, range) };
    },

    async read(sha256) {
      for (let i = 0; ; i++) {
        const answer = await client.send({ method: 'GET', key: placeOf(sha256).key });
        if (!answer) return undefined;
        const content = await answer.body.bytes().catch((cause: unknown) => {
          if (i >= RESUMES_MAX) throw cutOff(cause);
        });
        if (content) return content;
      }
    },

    async remove(sha256) {
      await drain(await client.send({ method: 'DELETE', key: placeOf(sha256).key }));
    },

    async verify(sha256) {
      const bytes = await find(sha256);
      if (bytes === undefined) return false;
      const hash = createHash('sha256');
      for await (const chunk of stream(sha256, bytes)) hash.update(chunk);
      return hash.digest('hex') === sha256;
    },

    async *list() {
      for await (const { sha256 } of listAll()) yield sha256;
    },

    async collect({ isReferenced, untouchedSince }) {
      let removed = 0;
      for await (const batch of inBatches(stale(listAll(), untouchedSince)))
        removed += await collectSome(batch, { isReferenced, untouchedSince });
      return removed;
    },

    // Other servers share the store, so only what is surely abandoned ends.
    sweep: () => abortOldUploads(client, dir, new Date(systemClock() - ABANDONED_MS)),
  };
}

async function* stale(blobs: AsyncIterable<ListedBlob>, untouchedSince: Date): AsyncGenerator<string> {
  for await (const { sha256, touchedAt } of blobs) if (touchedAt < untouchedSince) yield sha256;
}

function cutOff(cause: unknown): StorageFailure {
  return new StorageFailure('unreachable', 'The store ended its answer early, again and again.', { cause });
}
