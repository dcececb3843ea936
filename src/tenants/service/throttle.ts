import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Clock } from '../../kit/base/clock.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import { deleteAttempts, deleteEndedAttempts, lowerAttempts, raiseAttempts } from '../store/sign-in-attempts.ts';

const WINDOW_MS = 15 * 60 * 1000;
/** Of one account, from wherever; a person who has forgotten their password asks for a link long before. */
const ACCOUNT_ATTEMPTS_MAX = 10;
/** Of one address, for whatever accounts; an office behind one address still gets in. */
const ADDRESS_ATTEMPTS_MAX = 50;

export type Throttle = {
  /** Counts before the password is looked at, so that many guesses at once are not one. Throws 429. */
  take(email: string, address: string): Promise<void>;
  /** The attempt was right: the account begins anew, the address has one less. */
  giveBack(tx: Tx, email: string, address: string): Promise<void>;
  prune(): Promise<void>;
};

/** Counted in the database: shared by all processes, and a restart forgives nothing. */
export function createThrottle({ database, now }: { database: Database; now: Clock }): Throttle {
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
      const seconds = Math.max(1, Math.ceil((Math.max(...waits) - now()) / 1000));
      throw new ApiError(429, `Too many attempts to sign in. Try again in ${Math.ceil(seconds / 60)} min.`, {
        headers: { 'retry-after': String(seconds) },
      });
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

/** Whoever has one IPv6 address has 2^64 of them. */
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
