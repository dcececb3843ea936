import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readCookie } from './read-cookie.ts';

const COOKIE = 'tramontane_session';
const TOKEN_BYTES = 32;
const HOUR_MS = 60 * 60 * 1000;
/** A session ends after a day without use, and after two weeks in any case. */
export const SESSION_IDLE_MS = 24 * HOUR_MS;
export const SESSION_LIFETIME_MS = 14 * 24 * HOUR_MS;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** For a session or a one-time link: 256 random bits, of which only a hash is stored. */
export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function hashToken(token: string): string {
  return hash('sha256', `token:${token}`, 'hex');
}

/** The session token of a browser's cookie; undefined when there is none of our format. */
export function readSessionToken(headers: IncomingHttpHeaders): string | undefined {
  const value = readCookie(headers, COOKIE);
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}

/** Derived from the token and not stored; the token cannot be derived from it. */
export function csrfTokenOf(token: string): string {
  return hash('sha256', `csrf:${token}`, 'base64url');
}

export function isCsrfToken(given: unknown, token: string): boolean {
  const wanted = Buffer.from(csrfTokenOf(token));
  const bytes = Buffer.from(typeof given === 'string' ? given : '');
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

type CookieOptions = { isSecure: boolean; maxAgeSeconds: number };

/** Hidden from scripts, and not sent with requests of other sites. */
export function sessionCookie(token: string, { isSecure, maxAgeSeconds }: CookieOptions): string {
  return `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;
}
