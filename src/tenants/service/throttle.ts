import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Tx } from '../../kit/db/index.ts';
import { tenantErrors } from '../errors.ts';
import { deleteAttempts, deleteEndedAttempts, lowerAttempts, raiseAttempts } from '../store/sign-in-attempts.ts';
import type { TenantPorts } from './ports.ts';

const WINDOW_MS = 15 * 60 * 1000;
/** Per account, from all addresses. */
const ACCOUNT_ATTEMPTS_MAX = 10;
/** Per address, for all accounts; high enough for an office behind one address. */
const ADDRESS_ATTEMPTS_MAX = 50;

export type Throttle = {
  /** Counts an attempt before its password is checked, so that concurrent guesses count too. Throws 429. */
  take(email: string, address: string): Promise<void>;
  /** After a successful attempt: resets the account's count and takes one off the address's. */
  giveBack(tx: Tx, email: string, address: string): Promise<void>;
  prune(): Promise<void>;
};

/** Limits sign-in attempts. The counts are in the database: shared by all processes and kept across restarts. */
export function createThrottle({ database, now }: Pick<TenantPorts, 'database' | 'now'>): Throttle {
  return {
    async take(email, address) {
      const endsAtMs = now() + WINDOW_MS;
      const [account, source] = await database.transaction(async (tx) => [
        await raiseAttempts(tx, accountBucket(email), now(), endsAtMs),
        await raiseAttempts(tx, addressBucket(address), now(), endsAtMs),
      ]);
      const waits: number[] = [];
      if (account && account.attempts > ACCOUNT_ATTEMPTS_MAX) waits.push(account.ends_at_ms);
      if (source && source.attempts > ADDRESS_ATTEMPTS_MAX) waits.push(source.ends_at_ms);
      if (waits.length === 0) return;
      const retryAfterSeconds = Math.max(1, Math.ceil((Math.max(...waits) - now()) / 1000));
      const message = `Too many attempts to sign in. Try again in ${Math.ceil(retryAfterSeconds / 60)} min.`;
      throw tenantErrors.too_many_sign_in_attempts(message, { retryAfterSeconds });
    },
    async giveBack(tx, email, address) {
      await deleteAttempts(tx, accountBucket(email));
      await lowerAttempts(tx, addressBucket(address));
    },
    prune: () => deleteEndedAttempts(database.db, now()),
  };
}

/** A hash, because people type passwords into the wrong field. */
function accountBucket(email: string): string {
  return `account:${hash('sha256', email.trim().toLowerCase(), 'hex')}`;
}

function addressBucket(address: string): string {
  return `address:${blockOf(address)}`;
}

/** The /64 block of an IPv6 address, since one client usually has a whole block. */
export function blockOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [before = '', after] = address.toLowerCase().split('::', 2);
  const head = before.split(':').filter(Boolean);
  const tail = (after ?? '').split(':').filter(Boolean);
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(Math.max(0, zeros)).fill('0'), ...tail];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
