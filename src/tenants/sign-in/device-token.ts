import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { UserRow } from '../store/tables.ts';
import { readCookie } from './read-cookie.ts';

const COOKIE = 'tramontane_device';
const LIFETIME_SECONDS = 180 * 24 * 60 * 60;
const NONCE_BYTES = 16;
const TOKEN = /^([\w-]{22})\.([\w-]{43})$/;

type Owner = Pick<UserRow, 'id' | 'password_hash'>;

/** Recognises browsers that have signed in to an account. A new password ends all of them; nothing is stored. */
export function createDeviceTokens(secret: string) {
  const sign = (nonce: string, { id, password_hash }: Owner) =>
    createHmac('sha256', secret).update(`device:${nonce}:${id}:${password_hash}`).digest();
  return {
    issue(owner: Owner): string {
      const nonce = randomBytes(NONCE_BYTES).toString('base64url');
      return `${nonce}.${sign(nonce, owner).toString('base64url')}`;
    },
    /** The id of the browser, if the account issued the token. */
    verify(token: string, owner: Owner): string | undefined {
      const [, nonce, mac] = TOKEN.exec(token) ?? [];
      if (nonce === undefined || mac === undefined) return undefined;
      const isIssued = timingSafeEqual(Buffer.from(mac, 'base64url'), sign(nonce, owner));
      return isIssued ? hash('sha256', nonce, 'hex') : undefined;
    },
  };
}

export function readDeviceToken(headers: IncomingHttpHeaders): string | undefined {
  return readCookie(headers, COOKIE);
}

/** Sent only to the routes under which passwords are checked. */
export function deviceCookie(token: string, { isSecure }: { isSecure: boolean }): string {
  const secure = isSecure ? '; Secure' : '';
  return `${COOKIE}=${token}; Path=/console/api; HttpOnly; SameSite=Strict; Max-Age=${LIFETIME_SECONDS}${secure}`;
}
