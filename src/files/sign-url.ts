import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SignedQuery } from './schema.ts';

/** Stands for the secret of a file that is not there. */
const DECOY = randomBytes(32).toString('base64url');

/** The part of a signed address that proves it: until when it holds, and that somebody who might read the file made it. */
export function signDownload(secret: string, id: string, expires: number): SignedQuery {
  return { expires, signature: signatureOf(secret, id, expires) };
}

/** Without a secret there is no file, and no signature is right; that is found out by the same work. */
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
