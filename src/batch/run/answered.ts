import type { Db } from '../../kit/db/index.ts';
import { listPositions } from '../store.ts';

const PAGE = 10_000;

/** Which lines were answered before this process took the job up. A bit each, because there may be a million. */
export async function loadAnswered(db: Db, jobId: string): Promise<(position: number) => boolean> {
  let bits = new Uint8Array(1024);
  for (let after = -1; ; ) {
    const positions = await listPositions(db, jobId, after, PAGE);
    const last = positions.at(-1);
    if (last === undefined) break;
    if (last >> 3 >= bits.length) {
      const larger = new Uint8Array((last >> 3) * 2 + 1);
      larger.set(bits);
      bits = larger;
    }
    for (const position of positions) bits[position >> 3] = (bits[position >> 3] ?? 0) | (1 << (position & 7));
    after = last;
  }
  return (position) => ((bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0;
}
