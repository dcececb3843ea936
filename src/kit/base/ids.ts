import { randomFillSync, randomUUID } from 'node:crypto';

export function uuid(): string {
  return randomUUID();
}

// One call to the system's generator costs as much for a few bytes as for thousands.
const POOL_BYTES = 16_384;
const ID_BYTES = 16;
const pool = Buffer.alloc(POOL_BYTES);
let taken = POOL_BYTES;

/** Where the next bytes begin, which nobody else gets. */
function takeBytes(count: number): number {
  if (taken + count > POOL_BYTES) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += count;
  return taken - count;
}

/** Where the bytes of a UUIDv7 begin: later ids sort later, which keeps index pages warm. */
function takeTimeOrdered(nowMs: number): number {
  const at = takeBytes(ID_BYTES);
  pool.writeUIntBE(nowMs, at, 6);
  pool[at + 6] = ((pool[at + 6] as number) & 0x0f) | 0x70;
  pool[at + 8] = ((pool[at + 8] as number) & 0x3f) | 0x80;
  return at;
}

const DIGITS = Uint8Array.from(Buffer.from('0123456789abcdef'));
/** Byte by byte after the time where two digits go; the hyphens between them stay. */
const PLACES = Uint8Array.of(14, 16, 19, 21, 24, 26, 28, 30, 32, 34);
/** Where the last six digits of the time go. */
const TIME_PLACES = Uint8Array.of(6, 7, 9, 10, 11, 12);
const text = Buffer.alloc(36, '-');
let textMs = Number.NaN;

/** One text, not a tree of slices that waits for the ledger in a dozen pieces: every request has such an id. */
export function uuidv7(nowMs = Date.now()): string {
  // Many ids are made in the same millisecond.
  if (nowMs !== textMs) writeTime(nowMs);
  const at = takeBytes(PLACES.length);
  pool[at] = ((pool[at] as number) & 0x0f) | 0x70;
  pool[at + 2] = ((pool[at + 2] as number) & 0x3f) | 0x80;
  for (let i = 0; i < PLACES.length; i++) {
    const byte = pool[at + i] as number;
    const place = PLACES[i] as number;
    text[place] = DIGITS[byte >> 4] as number;
    text[place + 1] = DIGITS[byte & 15] as number;
  }
  return text.toString('latin1');
}

/** In two halves of 24 bits, which is what operators on bits take. */
function writeTime(nowMs: number): void {
  const low = nowMs % 0x1000000;
  const high = (nowMs - low) / 0x1000000;
  for (let i = 0; i < 6; i++) {
    const bits = 20 - 4 * i;
    text[i] = DIGITS[(high >> bits) & 15] as number;
    text[TIME_PLACES[i] as number] = DIGITS[(low >> bits) & 15] as number;
  }
  textMs = nowMs;
}

/** 32 hex characters, with the prefix of its kind where it has one (`conv_…`). */
export function hexId(prefix = ''): string {
  const at = takeTimeOrdered(Date.now());
  return prefix + pool.toString('hex', at, at + ID_BYTES);
}

/** Random bytes as hex characters, for ids: a secret would stay in the pool. */
export function randomHex(bytes: number): string {
  const at = takeBytes(bytes);
  return pool.toString('hex', at, at + bytes);
}
