import type { Database } from '../db/index.ts';
import type { Pointer } from './read-store.ts';

const POINTERS_MAX = 20_000;

/**
 * Where names and aliases point, as they were found. On SQLite every change passes through this process (one server
 * per data dir), and what it may have moved is forgotten before the change is acknowledged; so nothing found here is
 * older than the last acknowledged change. On PostgreSQL others change too, and nothing is kept.
 */
export type PointerCache = {
  get(workspaceId: string, key: string): Pointer | undefined;
  /** Call it before looking: what is found is kept only if nothing changed while it was on its way. */
  watch(): (workspaceId: string, key: string, pointer: Pointer) => void;
  forget(workspaceId: string): void;
};

const cachesOf = new WeakMap<Database, Map<string, PointerCache>>();

/** The one memory of this kind on this database, whoever reads and writes there. */
export function pointersOf(database: Database, kind: string): PointerCache {
  const caches = cachesOf.get(database) ?? new Map<string, PointerCache>();
  const cache = caches.get(kind) ?? createPointerCache(database);
  cachesOf.set(database, caches.set(kind, cache));
  return cache;
}

export function createPointerCache({ kind }: Pick<Database, 'kind'>): PointerCache {
  const isKept = kind === 'sqlite';
  const workspaces = new Map<string, Map<string, Pointer>>();
  let changes = 0;
  let count = 0;

  function add(workspaceId: string, key: string, pointer: Pointer): void {
    // Who asks for so many different things gains little from any of them.
    if (count >= POINTERS_MAX) {
      workspaces.clear();
      count = 0;
    }
    const pointers = workspaces.get(workspaceId) ?? new Map<string, Pointer>();
    if (!pointers.has(key)) count++;
    workspaces.set(workspaceId, pointers.set(key, pointer));
  }

  return {
    get: (workspaceId, key) => workspaces.get(workspaceId)?.get(key),
    watch() {
      const before = changes;
      return (workspaceId, key, pointer) => {
        if (isKept && before === changes) add(workspaceId, key, pointer);
      };
    },
    forget(workspaceId) {
      changes++;
      count -= workspaces.get(workspaceId)?.size ?? 0;
      workspaces.delete(workspaceId);
    },
  };
}
