import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignedQuery } from './schema.ts';

/** The part of a signed address that proves it: until when it holds, and that somebody who might read the file made it. */
export function signDownload(secret: string, id: string, expires: number): SignedQuery {
  return { expires, signature: signatureOf(secret, id, expires) };
}

export function isSigned(secret: string, id: string, { expires, signature }: SignedQuery, nowMs: number): boolean {
  const expected = Buffer.from(signatureOf(secret, id, expires));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected) && expires * 1000 > nowMs;
}

function signatureOf(secret: string, id: string, expires: number): string {
  return createHmac('sha256', secret).update(`${id}\n${expires}`).digest('base64url');
}
