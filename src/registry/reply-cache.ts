import type { Database } from '../kit/db/index.ts';
import { bytesOf, type Rendered } from './rendered-cache.ts';
import type { Selector, Viewer } from './schema.ts';

const BYTES_MAX = 16 * 1024 * 1024;

/** An alias, a version number, or null for the newest version. */
type Which = string | number | null;
type Workspace = { users: Map<string, Map<string, Map<Which, Rendered<unknown>>>>; bytes: number };

/**
 * Replies by user, id or name, and selector. On SQLite one process makes all changes and drops a workspace's replies
 * before it acknowledges one, so no reply is stale. On PostgreSQL other processes write too, and nothing is cached.
 */
export type ReplyCache = {
  get(viewer: Viewer, idOrName: string, selector: Selector): Rendered<unknown> | undefined;
  /** Call before reading: the function it returns caches the reply unless something changed in between. */
  watch(): (viewer: Viewer, idOrName: string, selector: Selector, reply: Rendered<unknown>) => void;
  forget(workspaceId: string): void;
};

export function createReplyCache({ kind }: Pick<Database, 'kind'>): ReplyCache {
  const isEnabled = kind === 'sqlite';
  const workspaces = new Map<string, Workspace>();
  let changes = 0;
  let bytes = 0;

  function add({ workspace_id, user_id }: Viewer, idOrName: string, which: Which, reply: Rendered<unknown>): void {
    const size = bytesOf(reply);
    if (size > BYTES_MAX / 2) return;
    // Reads that fill the cache are too varied to gain from it, so it simply starts over.
    if (bytes + size > BYTES_MAX) {
      workspaces.clear();
      bytes = 0;
    }
    const workspace = getOrAdd(workspaces, workspace_id, () => ({ users: new Map(), bytes: 0 }));
    const objects = getOrAdd(workspace.users, user_id, () => new Map<string, Map<Which, Rendered<unknown>>>());
    getOrAdd(objects, idOrName, () => new Map<Which, Rendered<unknown>>()).set(which, reply);
    workspace.bytes += size;
    bytes += size;
  }

  return {
    get: ({ workspace_id, user_id }, idOrName, { version, alias }) =>
      workspaces
        .get(workspace_id)
        ?.users.get(user_id)
        ?.get(idOrName)
        ?.get(alias ?? version ?? null),
    watch() {
      const before = changes;
      return (viewer, idOrName, { version, alias }, reply) => {
        if (isEnabled && before === changes) add(viewer, idOrName, alias ?? version ?? null, reply);
      };
    },
    forget(workspaceId) {
      changes++;
      bytes -= workspaces.get(workspaceId)?.bytes ?? 0;
      workspaces.delete(workspaceId);
    },
  };
}

const cachesOf = new WeakMap<Database, Map<string, ReplyCache>>();

/** The one cache of this kind on this database: all its registries must share it. */
export function replyCacheOf(database: Database, kind: string): ReplyCache {
  const caches = getOrAdd(cachesOf, database, () => new Map<string, ReplyCache>());
  return getOrAdd(caches, kind, () => createReplyCache(database));
}

function getOrAdd<K, T>(map: { get(key: K): T | undefined; set(key: K, value: T): unknown }, key: K, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
