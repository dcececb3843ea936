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

/** A UUIDv7 without hyphens: later ids sort later, which keeps index pages warm. */
function timeOrderedHex(nowMs: number): string {
  const at = takeBytes(ID_BYTES);
  pool.writeUIntBE(nowMs, at, 6);
  pool[at + 6] = ((pool[at + 6] as number) & 0x0f) | 0x70;
  pool[at + 8] = ((pool[at + 8] as number) & 0x3f) | 0x80;
  return pool.toString('hex', at, at + ID_BYTES);
}

export function uuidv7(nowMs = Date.now()): string {
  const hex = timeOrderedHex(nowMs);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** 32 hex characters, with the prefix of its kind where it has one (`conv_…`). */
export function hexId(prefix = ''): string {
  return prefix + timeOrderedHex(Date.now());
}

/** Random bytes as hex characters, for ids: a secret would stay in the pool. */
export function randomHex(bytes: number): string {
  const at = takeBytes(bytes);
  return pool.toString('hex', at, at + bytes);
}
