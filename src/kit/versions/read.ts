import { badRequest, notFound } from '../http/index.ts';
import { listMoves } from './alias-store.ts';
import { type Core, missing, renderSnapshot } from './core.ts';
import { findObject } from './object-store.ts';
import { byIdOrName, type Selector } from './read-store.ts';
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
  const { database, kind, answers, findSnapshot } = core;

  async function find(viewer: Viewer, idOrName: string, selector: Selector): Promise<Snapshot<D>> {
    const found = await byIdOrName(idOrName, (ref) => findSnapshot<D>(database.db, viewer, ref, selector));
    if (!found) throw missing(core, idOrName);
    if (!found.snapshot) throw missingVersion(core.noun, idOrName, selector);
    return found.snapshot;
  }

  async function findBare(viewer: Viewer, idOrName: string) {
    const object = await byIdOrName(idOrName, (ref) => findObject(database.db, kind, viewer, ref));
    if (!object) throw missing(core, idOrName);
    return object;
  }

  return {
    recall: (viewer, idOrName, selector) => answers.get(viewer, idOrName, one(selector)) as Rendered<W> | undefined,
    // The name and the alias are looked up anew, so a move counts from the moment it is committed, in every process.
    async read(viewer, idOrName, selector) {
      const keep = answers.watch();
      const answer = await renderSnapshot(core, await find(viewer, idOrName, normalise(selector)));
      keep(viewer, idOrName, selector, answer);
      return answer;
    },
    find: async (viewer, idOrName, selector) => find(viewer, idOrName, normalise(selector)),
    async history(viewer, idOrName) {
      const { id, revision } = await findBare(viewer, idOrName);
      return { etag: etagOf({ id, revision, version: 0 }), pages: listVersions<D>(database.db, id) };
    },
    async aliasMoves(viewer, idOrName) {
      const { id } = await findBare(viewer, idOrName);
      return listMoves(database.db, id, MOVES_SHOWN_MAX);
    },
  };
}

function normalise(selector: Selector): Selector {
  const { version, alias } = one(selector);
  return { version, alias: alias === LATEST ? undefined : alias && storable(alias) };
}

/** PostgreSQL refuses text with a NUL; a space makes it an alias that nobody has. */
export function storable(alias: string): string {
  return alias.replaceAll('\0', ' ');
}

function one(selector: Selector): Selector {
  if (selector.version === undefined || selector.alias === undefined) return selector;
  throw badRequest('Send either version or alias, not both: they may name two different versions.');
}

export function missingVersion(noun: string, idOrName: string, { version, alias }: Selector) {
  const what = version === undefined ? `alias '${alias}'` : `version ${version}`;
  return notFound(`${noun} version`, `${idOrName} (${what})`);
}
