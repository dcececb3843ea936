import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyKind } from './schema.ts';

const PREFIXES: Record<KeyKind, string> = { standard: 'tmk_', admin: 'tma_' };
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 40;
const CHECKSUM_CHARACTERS = 6;
const HINT_CHARACTERS = 4;

/** `tmk_` or `tma_`, 40 random characters, 6 of checksum: scanners recognise it, and a typo is refused without a query. */
export function makeKey(kind: KeyKind): string {
  const body = PREFIXES[kind] + randomText(RANDOM_CHARACTERS);
  return body + checksum(body);
}

/** Whether the value has our format and a valid checksum. Keys from the environment may have any format. */
export function isWellFormed(value: string): boolean {
  const kind = value.startsWith(PREFIXES.standard) || value.startsWith(PREFIXES.admin);
  if (!kind || value.length !== PREFIXES.standard.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS) return false;
  const body = value.slice(0, -CHECKSUM_CHARACTERS);
  return value.endsWith(checksum(body));
}

/** The stored hash of a key. Its 238 random bits need no salt and no slow hash. */
export function hashKey(value: string): string {
  return hash('sha256', value, 'hex');
}

/** The last characters, which lists show. */
export function hintOf(value: string): string {
  return value.slice(-HINT_CHARACTERS);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // Bytes from 248 up would make the first letters of the alphabet likelier.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}
