import { registryErrors } from '../errors.ts';
import type { Rendered } from '../rendered-cache.ts';
import { etagOf, type History, LATEST, type Selector, type Snapshot, type Viewer } from '../schema.ts';
import { listMoves } from '../store/aliases.ts';
import { byIdOrName, findObject } from '../store/objects.ts';
import type { AliasMoveRow } from '../store/tables.ts';
import { listVersions } from '../store/versions.ts';
import { type Core, missingVersion, renderSnapshot, storable } from './core.ts';

const MOVES_SHOWN_MAX = 1000;

export type Reading<D, W> = {
  /** What `read` would return, without a query, if it is in memory and cannot be stale. */
  readCached(viewer: Viewer, idOrName: string, selector: Selector): Rendered<W> | undefined;
  read(viewer: Viewer, idOrName: string, selector: Selector): Promise<Rendered<W>>;
  /** The object as it is stored, not rendered. */
  find(viewer: Viewer, idOrName: string, selector: Selector): Promise<Snapshot<D>>;
  history(viewer: Viewer, idOrName: string): Promise<History<D>>;
  /** Newest first. */
  aliasMoves(viewer: Viewer, idOrName: string): Promise<AliasMoveRow[]>;
};

export function createReading<D, W>(core: Core<D, W>): Reading<D, W> {
  const { database, kind, errors, replies, findSnapshot, versionsPerSearch = 1000 } = core;

  async function find(viewer: Viewer, idOrName: string, selector: Selector): Promise<Snapshot<D>> {
    const found = await byIdOrName(idOrName, (ref) => findSnapshot<D>(database.db, viewer, ref, selector));
    if (!found) throw errors.not_found(idOrName);
    if (!found.snapshot) throw missingVersion(core, idOrName, selector);
    return found.snapshot;
  }

  async function findBare(viewer: Viewer, idOrName: string) {
    const object = await byIdOrName(idOrName, (ref) => findObject(database.db, kind, viewer, ref));
    if (!object) throw errors.not_found(idOrName);
    return object;
  }

  return {
    readCached: (viewer, idOrName, selector) => replies.get(viewer, idOrName, one(selector)) as Rendered<W> | undefined,
    // Looks up name and alias each time, so a move counts in every process from its commit on.
    async read(viewer, idOrName, selector) {
      const keep = replies.watch();
      const reply = renderSnapshot(core, await find(viewer, idOrName, normalise(selector)));
      keep(viewer, idOrName, selector, reply);
      return reply;
    },
    find: async (viewer, idOrName, selector) => find(viewer, idOrName, normalise(selector)),
    async history(viewer, idOrName) {
      const { id, revision } = await findBare(viewer, idOrName);
      const pages = listVersions<D>(database, id, versionsPerSearch);
      return { etag: etagOf({ id, revision, version: 0 }), pages };
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

function one(selector: Selector): Selector {
  if (selector.version === undefined || selector.alias === undefined) return selector;
  throw registryErrors.version_selector_ambiguous();
}
