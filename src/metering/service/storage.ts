import type { LimitCache, LimitTable } from '../cache-limits.ts';
import { meteringErrors } from '../errors.ts';
import { type LimitScope, limitScopeId, type Payer } from '../schema.ts';

/** How old a measurement may be before the next write asks for a new one. */
const FRESH_MS = 30_000;
/** How old it may be when it decides to refuse; whoever just deleted something should not wait for long. */
const REFUSAL_FRESH_MS = 1000;
const KEPT_MAX = 10_000;
const MEBIBYTE = 1024 * 1024;

type StorageScope = Pick<Payer, 'organization_id' | 'workspace_id'>;

export type Storage = {
  /** Runs work that stores about so many bytes, or throws 413. Adds nothing where no storage limit is set. */
  run<T>(scope: StorageScope, bytes: () => number, work: () => T): T | Promise<Awaited<T>>;
  /** What the scope stores now, read from the database. */
  measure(scope: LimitScope): Promise<number>;
};

/**
 * `written` was stored after the measurement began, `running` is being stored. Both are estimates by the size of
 * requests, so that many parallel requests cannot exceed the limit before the next measurement.
 */
type Account = {
  measured: number;
  measuredAt: number;
  written: number;
  running: number;
  measuring?: Promise<void> | undefined;
};

/** Nothing is counted where no limit is set. Elsewhere the database is measured now and then, off the event loop. */
export function createStorage(ports: { limits: LimitCache; measure: (scope: LimitScope) => Promise<number> }): Storage {
  const { limits, measure } = ports;
  /** Least recently used first. */
  const accounts = new Map<string, Account>();

  function accountOf({ kind, id }: LimitScope): Account {
    const name = `${kind}:${id}`;
    const account = accounts.get(name) ?? {
      measured: 0,
      measuredAt: Number.NEGATIVE_INFINITY,
      written: 0,
      running: 0,
    };
    accounts.delete(name);
    accounts.set(name, account);
    if (accounts.size > KEPT_MAX) accounts.delete(accounts.keys().next().value ?? '');
    return account;
  }

  /** Requests that ended before are in the result; those that run, or end meanwhile, are still counted beside it. */
  function refresh(scope: LimitScope, account: Account): Promise<void> {
    account.measuring ??= (async () => {
      const before = account.written;
      const beganAt = performance.now();
      try {
        account.measured = await measure(scope);
        account.written -= before;
        account.measuredAt = beganAt;
      } finally {
        account.measuring = undefined;
      }
    })();
    return account.measuring;
  }

  async function admit(scope: LimitScope, limit: number, bytes: number): Promise<Account> {
    const account = accountOf(scope);
    const ageMs = () => performance.now() - account.measuredAt;
    const isFull = () => account.measured + account.written + account.running + bytes > limit;
    if (ageMs() === Number.POSITIVE_INFINITY || (isFull() && ageMs() > REFUSAL_FRESH_MS)) await refresh(scope, account);
    else if (ageMs() > FRESH_MS) void refresh(scope, account).catch(() => undefined);
    if (isFull()) {
      const used = account.measured + account.written + account.running;
      throw meteringErrors.storage_limit_exceeded(scope.kind, toMib(used), toMib(limit), toMib(bytes));
    }
    account.running += bytes;
    return account;
  }

  async function runLimited<T>(
    limited: { scope: LimitScope; limit: number }[],
    bytes: number,
    work: () => T,
  ): Promise<Awaited<T>> {
    const admitted: Account[] = [];
    let stored = 0;
    try {
      for (const { scope, limit } of limited) admitted.push(await admit(scope, limit, bytes));
      const result = await work();
      stored = bytes;
      return result;
    } finally {
      for (const account of admitted) {
        account.running -= bytes;
        account.written += stored;
      }
    }
  }

  function runBy<T>(table: LimitTable, scope: StorageScope, bytes: () => number, work: () => T) {
    const limited = (['workspace', 'organization'] as const).flatMap((kind) => {
      const id = limitScopeId(scope as Payer, kind);
      const limit = id === '' ? null : table({ kind, id }).storage_bytes;
      return limit === null ? [] : [{ scope: { kind, id }, limit }];
    });
    return limited.length === 0 ? work() : (runLimited(limited, bytes(), work) as never);
  }

  return {
    run(scope, bytes, work) {
      const table = limits.current();
      return table
        ? runBy(table, scope, bytes, work)
        : (limits.load().then((loaded) => runBy(loaded, scope, bytes, work)) as never);
    },
    measure,
  };
}

/** In two decimals, rounded up: whatever is refused is more than nothing. */
function toMib(bytes: number): string {
  return (Math.ceil((bytes / MEBIBYTE) * 100) / 100).toFixed(2);
}
