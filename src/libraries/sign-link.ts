import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SignedDocumentQuery } from './schema.ts';

/** The secret of a document that does not exist. */
const DECOY = randomBytes(32).toString('base64url');

type Content = SignedDocumentQuery['content'];

/** The query of a link to the original or to the text of a document. */
export function signLink(secret: string, id: string, content: Content, expires: number): string {
  return `content=${content}&expires=${expires}&signature=${signatureOf(secret, id, content, expires)}`;
}

/** Without a secret (no such document) it does the same work, so that timing reveals nothing. */
export function isSignedLink(
  secret: string | undefined,
  id: string,
  { content, expires, signature }: SignedDocumentQuery,
  nowMs: number,
): boolean {
  const expected = Buffer.from(signatureOf(secret ?? DECOY, id, content, expires));
  const given = Buffer.from(signature);
  const isRight = given.length === expected.length && timingSafeEqual(given, expected);
  return secret !== undefined && isRight && expires * 1000 > nowMs;
}

function signatureOf(secret: string, id: string, content: Content, expires: number): string {
  return createHmac('sha256', secret).update(`${id}\n${content}\n${expires}`).digest('base64url');
}
