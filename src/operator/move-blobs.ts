import { BLOB_ROOMS, type BlobPlace, type BlobRoom, openBlobs } from '../compose/open-blobs.ts';
import type { Blobs } from '../kit/blobs/index.ts';

/** `damaged` has the names of blobs whose content is another; they are not copied. */
export type Copied = { copied: number; present: number; bytes: number; damaged: string[] };

const AT_ONCE = 4;

/** Copies what the target lacks. The server may be running; a copy that was interrupted is taken up by the next. */
export async function copyAllBlobs(
  from: BlobPlace,
  to: BlobPlace,
  onProgress: (text: string) => void,
): Promise<Copied> {
  const sum: Copied = { copied: 0, present: 0, bytes: 0, damaged: [] };
  for (const room of BLOB_ROOMS) {
    const [source, target] = [openBlobs(from, room), openBlobs(to, room)];
    const names = source.list()[Symbol.asyncIterator]();
    const copyNext = async () => {
      // Shared between the copiers: each takes the next name.
      for (let next = await names.next(); !next.done; next = await names.next()) {
        await copyBlob(source, target, next.value, room, sum);
        onProgress(`${room}: ${sum.copied} copied, ${sum.present} there already`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, copyNext));
  }
  return sum;
}

async function copyBlob(source: Blobs, target: Blobs, sha256: string, room: BlobRoom, sum: Copied): Promise<void> {
  const blob = await source.open(sha256);
  // Deleted meanwhile.
  if (!blob) return;
  if ((await target.open(sha256))?.bytes === blob.bytes) {
    sum.present++;
    return;
  }
  const staged = await target.stage(blob.stream());
  try {
    if (staged.sha256 === sha256) {
      await staged.publish();
      sum.copied++;
      sum.bytes += staged.bytes;
    } else sum.damaged.push(`${room}/${sha256}`);
  } finally {
    await staged.discard();
  }
}
