import type { Database } from '../db/index.ts';
import type { Selector } from './read-store.ts';
import type { Rendered } from './rendered-cache.ts';
import type { Viewer } from './snapshot.ts';

const CHARACTERS_MAX = 16 * 1024 * 1024;

/** What was asked: an alias, a number, or null for the newest version. */
type Which = string | number | null;
type Workspace = { users: Map<string, Map<string, Map<Which, Rendered<unknown>>>>; characters: number };

/**
 * What was answered to whom. On SQLite every change passes through this process (one server per data dir), and all
 * answers of a workspace are forgotten before a change in it is acknowledged; so nothing found here is older than the
 * last acknowledged change. On PostgreSQL others change too, and nothing is kept.
 */
export type AnswerCache = {
  get(viewer: Viewer, idOrName: string, selector: Selector): Rendered<unknown> | undefined;
  /** Call it before looking: what is found is kept only if nothing changed while it was on its way. */
  watch(): (viewer: Viewer, idOrName: string, selector: Selector, answer: Rendered<unknown>) => void;
  forget(workspaceId: string): void;
};

export function createAnswerCache({ kind }: Pick<Database, 'kind'>): AnswerCache {
  const isKept = kind === 'sqlite';
  const workspaces = new Map<string, Workspace>();
  let changes = 0;
  let characters = 0;

  function add({ workspace_id, user_id }: Viewer, idOrName: string, which: Which, answer: Rendered<unknown>): void {
    const { length } = answer.text;
    // Whoever reads so many different things gains little from any of them.
    if (characters + length > CHARACTERS_MAX) {
      workspaces.clear();
      characters = 0;
    }
    const workspace = getOrAdd(workspaces, workspace_id, () => ({ users: new Map(), characters: 0 }));
    const objects = getOrAdd(workspace.users, user_id, () => new Map<string, Map<Which, Rendered<unknown>>>());
    getOrAdd(objects, idOrName, () => new Map<Which, Rendered<unknown>>()).set(which, answer);
    workspace.characters += length;
    characters += length;
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
      return (viewer, idOrName, { version, alias }, answer) => {
        if (isKept && before === changes) add(viewer, idOrName, alias ?? version ?? null, answer);
      };
    },
    forget(workspaceId) {
      changes++;
      characters -= workspaces.get(workspaceId)?.characters ?? 0;
      workspaces.delete(workspaceId);
    },
  };
}

const cachesOf = new WeakMap<Database, Map<string, AnswerCache>>();

/** The one memory of this kind on this database, whoever reads and writes there. */
export function answersOf(database: Database, kind: string): AnswerCache {
  const caches = getOrAdd(cachesOf, database, () => new Map<string, AnswerCache>());
  return getOrAdd(caches, kind, () => createAnswerCache(database));
}

function getOrAdd<K, T>(map: { get(key: K): T | undefined; set(key: K, value: T): unknown }, key: K, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
