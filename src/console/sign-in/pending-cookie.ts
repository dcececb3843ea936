import type { IncomingHttpHeaders } from 'node:http';
import type { SecretBox } from '../../kit/secrets/index.ts';
import { readCookie } from '../../tenants/index.ts';
import type { Pending } from './provider-client.ts';

const COOKIE = 'tramontane_sign_in';
const LIFETIME_SECONDS = 600;

/** A sign-in on its way: at which provider, with what, and for the account of which session it is, if any. */
export type PendingSignIn = Pending & {
  provider: string;
  redirectUrl: string;
  /** A page of the console. */
  to: string;
  expiresAtMs: number;
  join?: { user_id: string; email: string; session_id: string } | undefined;
};

/** Sealed, so that the browser cannot read or change it; it comes back with the redirect of the provider's page. */
export function pendingCookie(
  box: SecretBox,
  pending: Omit<PendingSignIn, 'expiresAtMs'>,
  nowMs: number,
  isSecure: boolean,
) {
  const text = JSON.stringify({ ...pending, expiresAtMs: nowMs + LIFETIME_SECONDS * 1000 });
  return format(box.seal(text, COOKIE), LIFETIME_SECONDS, isSecure);
}

export function clearedPendingCookie(isSecure: boolean): string {
  return format('', 0, isSecure);
}

export function readPending(
  box: SecretBox,
  headers: IncomingHttpHeaders,
  provider: string,
  nowMs: number,
): PendingSignIn | undefined {
  const sealed = readCookie(headers, COOKIE);
  const text = sealed ? box.open(sealed, COOKIE) : undefined;
  const pending = text === undefined ? undefined : (JSON.parse(text) as PendingSignIn);
  return pending?.provider === provider && pending.expiresAtMs > nowMs ? pending : undefined;
}

/** Lax: the browser comes from the provider's site. */
function format(value: string, maxAgeSeconds: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${COOKIE}=${value}; Path=/console/api/sign-in; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`;
}
