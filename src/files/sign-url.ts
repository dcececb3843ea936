import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SignedQuery } from './schema.ts';

/** The secret of a file that does not exist. */
const DECOY = randomBytes(32).toString('base64url');

/** The query of a download link: its expiry, and a signature that only this server can make. */
export function signDownload(secret: string, id: string, expires: number): SignedQuery {
  return { expires, signature: signatureOf(secret, id, expires) };
}

/** Without a secret (no such file) it does the same work, so that timing reveals nothing. */
export function isSigned(
  secret: string | undefined,
  id: string,
  { expires, signature }: SignedQuery,
  nowMs: number,
): boolean {
  const expected = Buffer.from(signatureOf(secret ?? DECOY, id, expires));
  const given = Buffer.from(signature);
  const isRight = given.length === expected.length && timingSafeEqual(given, expected);
  return secret !== undefined && isRight && expires * 1000 > nowMs;
}

function signatureOf(secret: string, id: string, expires: number): string {
  return createHmac('sha256', secret).update(`${id}\n${expires}`).digest('base64url');
}
