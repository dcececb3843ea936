import { badRequest, notFound } from '../http/index.ts';
import { listMoves } from './alias-store.ts';
import { type Core, missing, renderSnapshot } from './core.ts';
import { byIdOrName, createFindPointer, findSnapshot, type Pointer, type Selector } from './read-store.ts';
import type { Rendered } from './rendered-cache.ts';
import { etagOf, LATEST, type Snapshot, type VersionSnapshot, type Viewer } from './snapshot.ts';
import type { AliasMoveRow } from './tables.ts';
import { listVersions } from './version-store.ts';

const MOVES_SHOWN_MAX = 1000;

export type History<D> = { etag: string; pages: AsyncGenerator<VersionSnapshot<D>[]> };

export type Reading<D, W> = {
  /** What `read` would answer, if it is in memory and cannot have changed; told within the turn. */
  recall(viewer: Viewer, idOrName: string, selector: Selector): Rendered<W> | undefined;
  /** The object as the room shows it. */
  read(viewer: Viewer, idOrName: string, selector: Selector): Promise<Rendered<W>>;
  /** The object as it is kept. */
  find(viewer: Viewer, idOrName: string, selector: Selector): Promise<Snapshot<D>>;
  /** All versions, newest first, some at a time, and the tag of the state in which the object was found. */
  history(viewer: Viewer, idOrName: string): Promise<History<D>>;
  /** How the aliases moved, newest first. */
  aliasMoves(viewer: Viewer, idOrName: string): Promise<AliasMoveRow[]>;
};

export function createReading<V extends Viewer, D, W>(core: Core<V, D, W>): Reading<D, W> {
  const { database, kind, cache, pointers } = core;
  const findPointer = createFindPointer(database.db, kind);

  async function point(viewer: Viewer, idOrName: string, alias: string | undefined): Promise<Pointer> {
    const keep = pointers.watch();
    const pointer = await byIdOrName(idOrName, (ref) => findPointer(viewer, ref, alias));
    if (!pointer) throw missing(core, idOrName);
    if (pointer.version !== null) keep(viewer.workspace_id, keyOf(viewer, idOrName, alias), pointer);
    return pointer;
  }

  async function load(viewer: Viewer, idOrName: string, id: string, selector: Selector): Promise<Snapshot<D>> {
    const snapshot = await findSnapshot<D>(database.db, kind, viewer, id, selector);
    if (!snapshot) throw missingVersion(core.noun, idOrName, selector);
    return snapshot;
  }

  return {
    recall(viewer, idOrName, given) {
      const { version, alias } = normalise(given);
      const pointer = pointers.get(viewer.workspace_id, keyOf(viewer, idOrName, alias));
      const wanted = version ?? pointer?.version;
      if (!pointer || typeof wanted !== 'number') return undefined;
      return cache.get(etagOf({ id: pointer.id, revision: pointer.revision, version: wanted }));
    },
    // Where the name and the alias point is looked up anew, so a move counts from the moment it is committed, in every
    // process. What stands there comes from memory when this state was shown before.
    async read(viewer, idOrName, given) {
      const selector = normalise(given);
      const pointer = await point(viewer, idOrName, selector.alias);
      const version = selector.version ?? pointer.version;
      if (version === null) throw missingVersion(core.noun, idOrName, selector);
      const known = cache.get(etagOf({ ...pointer, version }));
      return known ?? renderSnapshot(core, await load(viewer, idOrName, pointer.id, selector));
    },
    async find(viewer, idOrName, given) {
      const selector = normalise(given);
      const { id } = await point(viewer, idOrName, undefined);
      return load(viewer, idOrName, id, selector);
    },
    async history(viewer, idOrName) {
      const { id, revision } = await point(viewer, idOrName, undefined);
      return { etag: etagOf({ id, revision, version: 0 }), pages: listVersions<D>(database.db, id) };
    },
    async aliasMoves(viewer, idOrName) {
      const { id } = await point(viewer, idOrName, undefined);
      return listMoves(database.db, id, MOVES_SHOWN_MAX);
    },
  };
}

// A user id holds no @, and what is found has an alias and a name without a slash: two questions never share a key.
function keyOf({ user_id }: Viewer, idOrName: string, alias: string | undefined): string {
  return alias === undefined ? `${user_id}/${idOrName}` : `${user_id}@${alias}/${idOrName}`;
}

function normalise({ version, alias }: Selector): Selector {
  if (version !== undefined && alias !== undefined) {
    throw badRequest('Send either version or alias, not both: they may name two different versions.');
  }
  return { version, alias: alias === LATEST ? undefined : alias?.replaceAll('\0', '') };
}

export function missingVersion(noun: string, idOrName: string, { version, alias }: Selector) {
  const what = version === undefined ? `alias '${alias}'` : `version ${version}`;
  return notFound(`${noun} version`, `${idOrName} (${what})`);
}
