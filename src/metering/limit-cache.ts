import { AsyncLocalStorage } from 'node:async_hooks';
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

export function createLimitCache(database: Database, signal: Signal, defaults: LimitDefaults): LimitCache {
  const outside = AsyncLocalStorage.snapshot();
  let table: LimitTable | undefined;
  let loading: Promise<LimitTable> | undefined;
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
    if (loading) return loading;
    const started = read().finally(() => {
      if (loading === started) loading = undefined;
    });
    loading = started;
    return started;
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
