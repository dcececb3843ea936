import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../kit/base/clock.ts';
import type { Database, Signal } from '../kit/db/index.ts';
import { type LimitDefaults, type LimitScope, type LimitScopeKind, type Limits, NO_LIMITS } from './schema.ts';
import { listLimits } from './store/limits.ts';

export type LimitTable = (scope: LimitScope) => Limits;

/**
 * All limits in memory. A change drops the table, and it is not used while the signal is stale: a limit set in one process
 * applies in all of them within a second.
 */
export type LimitCache = {
  /** The same function until a limit changes; undefined when it must be loaded first. */
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
    // After a change during the read the table may be outdated, so it is not kept.
    if (startedIn === generation) table = found;
    return found;
  }

  function load(): Promise<LimitTable> {
    // A slow read may predate a change, so only a young one is shared.
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
    // Loads ahead for the next request; if this fails, that request reads again and reports the error.
    outside(() => void load().catch(() => undefined));
  });

  return { current: () => (signal.isFresh() ? table : undefined), load };
}

export function defaultLimits(defaults: LimitDefaults, kind: LimitScopeKind): Limits {
  return { ...NO_LIMITS, ...defaults[kind] };
}
