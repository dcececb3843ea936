import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const STEP_SECONDS = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** A clock may be this many steps off, before or after. */
const DRIFT_STEPS = 1;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret for an authenticator app, as base32. */
export function makeTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES));
}

/** What the app reads from the picture. */
export function totpAddress(secret: string, email: string): string {
  const label = `Tramontane:${email}`;
  const query = new URLSearchParams({
    secret,
    issuer: 'Tramontane',
    digits: String(DIGITS),
    period: `${STEP_SECONDS}`,
  });
  return `otpauth://totp/${encodeURIComponent(label)}?${query}`;
}

export function stepAt(ms: number): number {
  return Math.floor(ms / 1000 / STEP_SECONDS);
}

/** RFC 6238 with SHA-1, which is what apps assume. */
export function totpAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/** The step whose code this is, if it is later than the last one that was used: a code works once. */
export function findStep(secret: string, code: string, nowMs: number, lastStep: number): number | undefined {
  const current = stepAt(nowMs);
  let found: number | undefined;
  for (let step = current - DRIFT_STEPS; step <= current + DRIFT_STEPS; step += 1)
    if (isSame(totpAt(secret, step), code) && step > lastStep) found = step;
  return found;
}

function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Of whole groups of five bytes, so there is no padding. */
export function toBase32(bytes: Buffer): string {
  let text = '';
  for (let bit = 0; bit < bytes.length * 8; bit += 5) {
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    text += ALPHABET[(pair >> (11 - (bit & 7))) & 31];
  }
  return text;
}

function fromBase32(text: string): Buffer {
  const bytes = Buffer.alloc(Math.floor((text.length * 5) / 8));
  for (const [at, letter] of [...text].entries()) {
    const value = ALPHABET.indexOf(letter);
    for (let bit = 0; bit < 5; bit += 1) {
      const position = at * 5 + bit;
      const index = position >> 3;
      if (value & (16 >> bit) && index < bytes.length) bytes[index] = (bytes[index] ?? 0) | (128 >> (position & 7));
    }
  }
  return bytes;
}
