import type { Db } from '../../kit/db/index.ts';
import { firstIdOf } from '../schema/chunk.ts';
import type { Filter } from '../schema/filter.ts';
import { findAllowed } from '../store/filters.ts';

/** What a filter lets through of one collection. */
export type Allowed = {
  /** By the number of the chunk: 1 where it may be found. */
  chunks: Uint8Array;
  count: number;
  firstId: number;
};

export async function findAllowedChunks(db: Db, of: { no: number; span: number }, filter: Filter): Promise<Allowed> {
  const chunks = await findAllowed(db, of, filter);
  return { chunks, count: countOnes(chunks), firstId: firstIdOf(of.no) };
}

/** Four bytes at a time, because each is 0 or 1. */
function countOnes(chunks: Uint8Array): number {
  const fours = foursOf(chunks);
  let count = 0;
  for (let i = 0; i < fours.length; i++) count += Math.imul(fours[i] as number, 0x01010101) >>> 24;
  for (let i = fours.length * 4; i < chunks.length; i++) count += chunks[i] as number;
  return count;
}

const foursOf = ({ buffer, byteOffset, length }: Uint8Array) =>
  new Uint32Array(buffer, byteOffset, Math.floor(length / 4));

export const isAllowed = ({ chunks, firstId }: Allowed, id: number): boolean => chunks[id - firstId] === 1;

export function idsOf({ chunks, firstId }: Allowed): number[] {
  const ids: number[] = [];
  for (let number = 0; number < chunks.length; number++) if (chunks[number] === 1) ids.push(firstId + number);
  return ids;
}

/** Neighbouring chunks as their first id and the one after their last: documents are allowed or not as a whole, mostly. */
export function runsOf({ chunks, firstId }: Allowed): [number, number][] {
  const runs: [number, number][] = [];
  for (let from = chunks.indexOf(1); from >= 0; ) {
    const end = chunks.indexOf(0, from);
    runs.push([firstId + from, firstId + (end < 0 ? chunks.length : end)]);
    from = end < 0 ? -1 : chunks.indexOf(1, end);
  }
  return runs;
}

/** A bit for each chunk, the lowest of each byte first, as PostgreSQL's get_bit counts them. */
export function bitsOf({ chunks }: Allowed): Uint8Array {
  const bits = new Uint8Array(Math.ceil(chunks.length / 8));
  const fours = foursOf(chunks);
  for (let i = 0; i < fours.length; i++) {
    // The product has the four lowest bits of the bytes side by side, from its bit 24 on.
    const four = (Math.imul(fours[i] as number, 0x01020408) >>> 24) & 15;
    bits[i >>> 1] = (bits[i >>> 1] as number) | (four << ((i & 1) * 4));
  }
  for (let i = fours.length * 4; i < chunks.length; i++)
    bits[i >>> 3] = (bits[i >>> 3] as number) | ((chunks[i] as number) << (i & 7));
  return bits;
}
