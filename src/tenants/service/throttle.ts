import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from '../../kit/db/index.ts';
import { tenantErrors } from '../errors.ts';
import { networkOf, wideNetworkOf } from '../sign-in/network-of.ts';
import {
  deleteAttempts,
  deleteEndedAttempts,
  hasMark,
  insertMark,
  lowerAttempts,
  raiseAttempts,
} from '../store/sign-in-attempts.ts';
import type { TenantPorts } from './ports.ts';

const WINDOW_MS = 15 * 60 * 1000;
/** Per account from one network, and per browser that the account knows. */
const ACCOUNT_ATTEMPTS_MAX = 10;
/** Per network for all accounts; high enough for an office behind one address. */
const NETWORK_ATTEMPTS_MAX = 50;
/** The same for a /48 of IPv6. */
const WIDE_NETWORK_ATTEMPTS_MAX = 200;
/** Per account from all networks; beyond it strangers are slowed, but nobody is refused. */
const FREE_ATTEMPTS_MAX = 50;
const SLOW_STEP_MS = 100;
const SLOW_MAX_MS = 5000;
/** Codes per account from browsers that it does not know, and per browser that it knows. */
const CODE_ATTEMPTS_MAX = 10;
/** Sign-ins with a provider that failed, per network: each makes the provider and this server work. */
const CALLBACK_ATTEMPTS_MAX = 100;
const WIDE_CALLBACK_ATTEMPTS_MAX = 400;
/** Mails that one subject of a provider asks for. */
const MAILS_MAX = 3;
const NETWORK_KNOWN_MS = 30 * 24 * 60 * 60 * 1000;

export type Attempt = {
  email: string;
  address: string;
  /** Of a browser that has signed in to the account before. */
  device?: string | undefined;
};

export type Throttle = {
  /** Counts an attempt before its password is checked, so that concurrent guesses count too. Throws 429. */
  take(attempt: Attempt): Promise<void>;
  /** After a successful attempt: resets the counts of the account, and takes one off those of the network. */
  giveBack(tx: Tx, attempt: Attempt): Promise<void>;
  /** The same for codes of a second factor, which only somebody with the password gets to. */
  takeCode(userId: string, device: string | undefined): Promise<void>;
  giveCodeBack(tx: Tx, userId: string, device: string | undefined): Promise<void>;
  /** Counts a return from a provider before its code is exchanged. False when too many from the network have failed. */
  takeCallback(address: string): Promise<boolean>;
  /** After a successful one. */
  giveCallbackBack(address: string): Promise<void>;
  /** Counts a mail that a stranger asks for. Throws 429. */
  takeMail(stranger: string): Promise<void>;
  prune(): Promise<void>;
};

/**
 * Limits sign-in attempts so that a stranger can neither guess a password nor lock its owner out: refusals are for one
 * network or one browser. The counts are in the database: shared by all processes and kept across restarts.
 */
export function createThrottle({
  database,
  now,
  wait = sleep,
}: Pick<TenantPorts, 'database' | 'now'> & { wait?: (ms: number) => Promise<unknown> }): Throttle {
  /** When the client may try again, or how long its attempt waits. */
  async function count(tx: Tx, attempt: Attempt): Promise<{ refusedUntilMs?: number; waitMs?: number }> {
    const { own, shared, account, known } = bucketsOf(attempt);
    for (const [bucket, max] of [[own, ACCOUNT_ATTEMPTS_MAX] as const, ...shared]) {
      const { attempts, ends_at_ms } = await raiseAttempts(tx, bucket, now(), now() + WINDOW_MS);
      if (attempts > max) return { refusedUntilMs: ends_at_ms };
    }
    if (attempt.device !== undefined) return {};
    const { attempts } = await raiseAttempts(tx, account, now(), now() + WINDOW_MS);
    if (attempts <= FREE_ATTEMPTS_MAX || (await hasMark(tx, known, now()))) return {};
    return { waitMs: Math.min(SLOW_MAX_MS, (attempts - FREE_ATTEMPTS_MAX) * SLOW_STEP_MS) };
  }

  function refuse(untilMs: number): never {
    const retryAfterSeconds = Math.max(1, Math.ceil((untilMs - now()) / 1000));
    const message = `Too many attempts to sign in. Try again in ${Math.ceil(retryAfterSeconds / 60)} min.`;
    throw tenantErrors.too_many_sign_in_attempts(message, { retryAfterSeconds });
  }

  return {
    async take(attempt) {
      const { refusedUntilMs, waitMs } = await database.transaction((tx) => count(tx, attempt));
      if (waitMs !== undefined) await wait(waitMs);
      if (refusedUntilMs !== undefined) refuse(refusedUntilMs);
    },
    async takeCode(userId, device) {
      const { attempts, ends_at_ms } = await database.transaction((tx) =>
        raiseAttempts(tx, codeBucket(userId, device), now(), now() + WINDOW_MS),
      );
      if (attempts > CODE_ATTEMPTS_MAX) refuse(ends_at_ms);
    },
    giveCodeBack: (tx, userId, device) => deleteAttempts(tx, codeBucket(userId, device)),
    async giveBack(tx, attempt) {
      const { own, shared, account, known } = bucketsOf(attempt);
      await deleteAttempts(tx, own);
      for (const [bucket] of shared) await lowerAttempts(tx, bucket);
      await deleteAttempts(tx, account);
      await insertMark(tx, known, now() + NETWORK_KNOWN_MS);
    },
    takeCallback: (address) =>
      database.transaction(async (tx) => {
        for (const [bucket, max] of callbackBuckets(address)) {
          const { attempts } = await raiseAttempts(tx, bucket, now(), now() + WINDOW_MS);
          if (attempts > max) return false;
        }
        return true;
      }),
    giveCallbackBack: (address) =>
      database.transaction(async (tx) => {
        for (const [bucket] of callbackBuckets(address)) await lowerAttempts(tx, bucket);
      }),
    async takeMail(stranger) {
      const bucket = `mail:${hash('sha256', stranger, 'hex')}`;
      const { attempts, ends_at_ms } = await database.transaction((tx) =>
        raiseAttempts(tx, bucket, now(), now() + WINDOW_MS),
      );
      if (attempts > MAILS_MAX) refuse(ends_at_ms);
    },
    prune: () => deleteEndedAttempts(database.db, now()),
  };
}

function codeBucket(userId: string, device: string | undefined): string {
  return `code:${userId}:${device ?? ''}`;
}

function callbackBuckets(address: string): (readonly [bucket: string, max: number])[] {
  const wide = wideNetworkOf(address);
  return [
    [`callback:${networkOf(address)}`, CALLBACK_ATTEMPTS_MAX],
    ...(wide === undefined ? [] : [[`callback:${wide}`, WIDE_CALLBACK_ATTEMPTS_MAX] as const]),
  ];
}

/** Addresses are hashed, because people type passwords into the wrong field. */
function bucketsOf({ email, address, device }: Attempt) {
  const user = hash('sha256', email.trim().toLowerCase(), 'hex');
  const network = networkOf(address);
  const wide = wideNetworkOf(address);
  const networks: (readonly [bucket: string, max: number])[] = [
    [`address:${network}`, NETWORK_ATTEMPTS_MAX],
    ...(wide === undefined ? [] : [[`address:${wide}`, WIDE_NETWORK_ATTEMPTS_MAX] as const]),
  ];
  return {
    own: device === undefined ? `client:${user}:${network}` : `device:${device}`,
    // A known browser is not held up by what others do behind the same address.
    shared: device === undefined ? networks : [],
    account: `account:${user}`,
    known: `known:${user}:${network}`,
  };
}
