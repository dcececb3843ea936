import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../kit/base/clock.ts';
import type { Database, Signal } from '../kit/db/index.ts';
import { type LimitDefaults, type LimitScope, type LimitScopeKind, type Limits, NO_LIMITS } from './schema.ts';
import { listLimits } from './store/limits.ts';

export type LimitTable = (scope: LimitScope) => Limits;

/**
 * All limits in memory. The table is dropped when the signal says that a limit changed, and not trusted while
 * the signal has not been heard: a limit set in one process holds in all of them within a second.
 */
export type LimitCache = {
  /** The same function until something changes; undefined when it must be read first. */
  current(): LimitTable | undefined;
  load(): Promise<LimitTable>;
};

export function createLimitCache(ports: {
  database: Database;
  signal: Signal;
  now: Clock;
  defaults: LimitDefaults;
}): LimitCache {
  const { database, signal, now, defaults } = ports;
  const outside = AsyncLocalStorage.snapshot();
  let table: LimitTable | undefined;
  let loading: { startedAtMs: number; promise: Promise<LimitTable> } | undefined;
  let generation = 0;

  async function read(): Promise<LimitTable> {
    const startedIn = generation;
    const rows = await listLimits(database.db);
    const byScope = new Map(rows.map((row) => [`${row.scope_kind}:${row.scope_id}`, row]));
    const found: LimitTable = ({ kind, id }) => byScope.get(`${kind}:${id}`) ?? defaultLimits(defaults, kind);
    // Something changed while we read: what we have may be the old truth, so it serves those who wait for it only.
    if (startedIn === generation) table = found;
    return found;
  }

  function load(): Promise<LimitTable> {
    // A database that is slow to answer may answer with what held when it was asked. Who comes later than the news may
    // be old asks again.
    if (loading && signal.isYoung(loading.startedAtMs)) return loading.promise;
    const started = { startedAtMs: now(), promise: read() };
    loading = started;
    const forget = () => {
      if (loading === started) loading = undefined;
    };
    started.promise.then(forget, forget);
    return started.promise;
  }

  signal.onChange(() => {
    generation++;
    table = undefined;
    loading = undefined;
    // So that the next request need not wait. If it fails, that request reads again and reports it.
    outside(() => void load().catch(() => undefined));
  });

  return { current: () => (signal.isFresh() ? table : undefined), load };
}

export function defaultLimits(defaults: LimitDefaults, kind: LimitScopeKind): Limits {
  return { ...NO_LIMITS, ...defaults[kind] };
}
