import { isoMicros } from '../base/clock.ts';
import { uuidv7 } from '../base/ids.ts';
import { afterCommit, type Tx } from '../db/index.ts';
import { conflict, forbidden, preconditionFailed, tagsOf } from '../http/index.ts';
import { type AliasMove, applyMoves, findAliases, listAliases, updateAudience } from './alias-store.ts';
import { canonicalJson, digestOf } from './canonical-json.ts';
import { type Change, type Core, missing, renderSnapshot } from './core.ts';
import { deleteObject, findObjectForChange, insertObject, NameTaken, updateObject } from './object-store.ts';
import { missingVersion } from './read.ts';
import { byIdOrName, findSnapshot, type Selector } from './read-store.ts';
import type { Rendered } from './rendered-cache.ts';
import { etagOf, type Sharing, type Snapshot, type Viewer } from './snapshot.ts';
import { EVERYONE, type ObjectRow } from './tables.ts';
import { findVersion, findVersionByDigest, insertVersion, updateNotes } from './version-store.ts';

export type NewVersion<D> = {
  definition: D;
  notes?: string | undefined;
  aliases?: readonly string[] | undefined;
  /** More for the audit entry. */
  details?: Record<string, string> | undefined;
  /** Writes what belongs to the version beside its definition, in the transaction that makes it. */
  alongside?: ((tx: Tx, objectId: string) => Promise<void>) | undefined;
};

export type NewObject<D> = NewVersion<D> & {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  sharing?: Sharing | undefined;
};

export type ObjectChanges = {
  title?: string | undefined;
  description?: string | undefined;
  sharing?: Sharing | undefined;
};

/** The aliases are the whole set that the version has afterwards; left out, they stay. */
export type VersionChanges = { notes?: string | undefined; aliases?: readonly string[] | undefined };

/** `ifMatch` is the header as it was sent: a change is refused when none of its tags is the object's state. */
export type Condition = { ifMatch?: string | undefined };

export type CreatedVersion = { version: number; deduplicated: boolean; etag: string };

export type Changing<V extends Viewer, D, W> = {
  create(viewer: V, input: NewObject<D>): Promise<Rendered<W>>;
  /** A definition that some version has already makes no new one; notes and aliases are still applied to it. */
  createVersion(viewer: V, idOrName: string, input: NewVersion<D>, condition?: Condition): Promise<CreatedVersion>;
  update(viewer: V, idOrName: string, changes: ObjectChanges, condition?: Condition): Promise<Rendered<W>>;
  updateVersion(
    viewer: V,
    idOrName: string,
    version: number,
    changes: VersionChanges,
    condition?: Condition,
  ): Promise<Rendered<W>>;
  remove(viewer: V, idOrName: string, condition?: Condition): Promise<void>;
  /** Changes what the room keeps beside an object while its row is locked, and records it with the details returned. */
  changeBeside(
    viewer: V,
    idOrName: string,
    work: (tx: Tx, objectId: string) => Promise<Record<string, string>>,
  ): Promise<void>;
};

export function createChanging<V extends Viewer, D, W>(core: Core<V, D, W>): Changing<V, D, W> {
  const { database, now, kind, noun, record, pointers, identity = (definition: D): unknown => definition } = core;

  /** Whoever hears that the change is done finds its outcome wherever he looks. */
  function transaction<T>({ workspace_id }: V, work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.transaction((tx) => {
      afterCommit(tx, () => pointers.forget(workspace_id));
      return work(tx);
    });
  }

  /** The changes of one object run one after the other: each begins by locking its row. */
  function change<T>(
    viewer: V,
    idOrName: string,
    { ifMatch }: Condition,
    work: (tx: Tx, object: ObjectRow) => Promise<T>,
  ): Promise<T> {
    return transaction(viewer, async (tx) => {
      const object = await byIdOrName(idOrName, (ref) => findObjectForChange(tx, database, kind, viewer, ref));
      if (!object) throw missing(core, idOrName);
      if (ifMatch !== undefined) requireMatch(ifMatch, object, noun);
      return work(tx, object);
    });
  }

  async function snapshotOf(tx: Tx, viewer: V, { id }: ObjectRow, selector: Selector): Promise<Snapshot<D>> {
    const snapshot = await findSnapshot<D>(tx, kind, viewer, id, selector);
    if (!snapshot) throw new Error(`The ${noun} ${id} is gone in the middle of its own change.`);
    return snapshot;
  }

  return {
    async create(viewer, input) {
      const time = isoMicros(now);
      const { name, definition, aliases = [], sharing = 'private' } = input;
      const object: ObjectRow = {
        id: uuidv7(now()),
        kind,
        workspace_id: viewer.workspace_id,
        audience: sharing === 'workspace' ? EVERYONE : viewer.user_id,
        owner_id: viewer.user_id,
        name,
        title: input.title ?? '',
        description: input.description ?? '',
        latest_version: 1,
        revision: 1,
        created_at: time,
        updated_at: time,
      };
      const row = { definition: canonicalJson(definition), digest: digestOf(canonicalJson(identity(definition))) };
      const snapshot = await refusingTakenNames(noun, name, sharing, () =>
        transaction(viewer, async (tx) => {
          await insertObject(tx, object);
          await insertVersion(tx, versionRow(object, 1, row, input.notes, viewer, time));
          await input.alongside?.(tx, object.id);
          const moves = [...new Set(aliases)].map((alias) => ({ alias, from: null, to: 1 }));
          await applyMoves(tx, object, moves, { author_id: viewer.user_id, moved_at: time });
          const created = await snapshotOf(tx, viewer, object, {});
          const details = { version: '1', sharing_scope: sharing, ...describeMoves(moves), ...input.details };
          await record(tx, viewer, { event: 'create', object, details });
          return created;
        }),
      );
      return renderSnapshot(core, snapshot);
    },

    createVersion(viewer, idOrName, input, condition = {}) {
      const { definition } = input;
      const row = { definition: canonicalJson(definition), digest: digestOf(canonicalJson(identity(definition))) };
      return change(viewer, idOrName, condition, async (tx, object) => {
        const time = isoMicros(now);
        const known = await findVersionByDigest(tx, object.id, row.digest);
        const version = known?.version ?? object.latest_version + 1;
        const moves = await movesTo(tx, object, version, input.aliases ?? []);
        const notesChange = known && input.notes !== undefined && input.notes !== known.notes;
        if (known && !notesChange && moves.length === 0) {
          return { version, deduplicated: true, etag: etagOf({ ...object, version }) };
        }
        const changed = await updateObject(tx, object, {
          updated_at: time,
          ...(known ? {} : { latest_version: version }),
        });
        if (!known) {
          await insertVersion(tx, versionRow(object, version, row, input.notes, viewer, time));
          await input.alongside?.(tx, object.id);
        } else if (notesChange) await updateNotes(tx, object.id, version, input.notes ?? '');
        await applyMoves(tx, changed, moves, { author_id: viewer.user_id, moved_at: time });
        const details = {
          version: String(version),
          ...(known ? { deduplicated: 'true' } : {}),
          ...describeMoves(moves),
          ...input.details,
        };
        await record(tx, viewer, { event: known ? 'update' : 'version', object, details });
        return { version, deduplicated: known !== undefined, etag: etagOf({ ...changed, version }) };
      });
    },

    async update(viewer, idOrName, changes, condition = {}) {
      const snapshot = await refusingTakenNames(noun, idOrName, changes.sharing, () =>
        change(viewer, idOrName, condition, async (tx, object) => {
          const { title = object.title, description = object.description } = changes;
          const audience = audienceOf(changes.sharing, object);
          const isMoved = audience !== object.audience;
          if (isMoved && audience !== EVERYONE && object.owner_id !== viewer.user_id) {
            throw forbidden(`Only the owner of a shared ${noun} can make it private again.`);
          }
          if (!isMoved && title === object.title && description === object.description) {
            return snapshotOf(tx, viewer, object, {});
          }
          await updateObject(tx, object, { title, description, audience, updated_at: isoMicros(now) });
          if (isMoved) await updateAudience(tx, object.id, audience);
          const updated = await snapshotOf(tx, viewer, object, {});
          const details = {
            ...(title === object.title ? {} : { title: 'changed' }),
            ...(description === object.description ? {} : { description: 'changed' }),
            ...(isMoved ? { sharing_scope: audience === EVERYONE ? 'workspace' : 'private' } : {}),
          };
          await record(tx, viewer, { event: eventOf(isMoved, audience), object, details });
          return updated;
        }),
      );
      return renderSnapshot(core, snapshot);
    },

    async updateVersion(viewer, idOrName, version, changes, condition = {}) {
      const snapshot = await change(viewer, idOrName, condition, async (tx, object) => {
        const known = await findVersion(tx, object.id, version);
        if (!known) throw missingVersion(noun, idOrName, { version });
        const time = isoMicros(now);
        const { notes = known.notes, aliases } = changes;
        const moves = [
          ...(aliases ? await movesAway(tx, object, version, aliases) : []),
          ...(await movesTo(tx, object, version, aliases ?? [])),
        ];
        if (notes === known.notes && moves.length === 0) return snapshotOf(tx, viewer, object, { version });
        const changed = await updateObject(tx, object, { updated_at: time });
        if (notes !== known.notes) await updateNotes(tx, object.id, version, notes);
        await applyMoves(tx, changed, moves, { author_id: viewer.user_id, moved_at: time });
        const updated = await snapshotOf(tx, viewer, object, { version });
        const details = { version: String(version), ...describeMoves(moves) };
        await record(tx, viewer, { event: 'update', object, details });
        return updated;
      });
      return renderSnapshot(core, snapshot);
    },

    changeBeside(viewer, idOrName, work) {
      return change(viewer, idOrName, {}, async (tx, object) => {
        const details = await work(tx, object.id);
        await record(tx, viewer, { event: 'update', object, details });
      });
    },

    remove(viewer, idOrName, condition = {}) {
      return change(viewer, idOrName, condition, async (tx, object) => {
        await deleteObject(tx, object.id);
        await record(tx, viewer, { event: 'delete', object, details: { versions: String(object.latest_version) } });
      });
    },
  };
}

function versionRow(
  { id }: ObjectRow,
  version: number,
  definition: { definition: string; digest: string },
  notes: string | undefined,
  viewer: Viewer,
  created_at: string,
) {
  return { object_id: id, version, ...definition, notes: notes ?? '', author_id: viewer.user_id, created_at };
}

/** The moves that make the version have these aliases besides those it has. */
async function movesTo(tx: Tx, { id }: ObjectRow, version: number, aliases: readonly string[]): Promise<AliasMove[]> {
  const names = [...new Set(aliases)];
  const current = await findAliases(tx, id, names);
  return names
    .map((alias) => ({ alias, from: current.get(alias) ?? null, to: version }))
    .filter(({ from, to }) => from !== to);
}

/** The moves that take every other alias from the version. */
async function movesAway(tx: Tx, { id }: ObjectRow, version: number, kept: readonly string[]): Promise<AliasMove[]> {
  const current = (await listAliases(tx, id, { from: version, to: version })).get(version) ?? [];
  return current.filter((alias) => !kept.includes(alias)).map((alias) => ({ alias, from: version, to: null }));
}

/** `production: 3 → 4, staging: none → 4`. */
function describeMoves(moves: readonly AliasMove[]): Record<string, string> {
  if (moves.length === 0) return {};
  const words = moves.map(({ alias, from, to }) => `${alias}: ${from ?? 'none'} → ${to ?? 'none'}`);
  return { aliases: words.join(', ') };
}

function audienceOf(sharing: Sharing | undefined, object: ObjectRow): string {
  if (sharing === undefined) return object.audience;
  return sharing === 'workspace' ? EVERYONE : object.owner_id;
}

function eventOf(isMoved: boolean, audience: string): Change['event'] {
  if (!isMoved) return 'update';
  return audience === EVERYONE ? 'share' : 'unshare';
}

// A tag also names a version; for a change it is the state of the whole object that counts.
function requireMatch(header: string, { id, revision }: ObjectRow, noun: string): void {
  const state = `"${id}.${revision}.`;
  if (header.trim() === '*' || tagsOf(header).some((tag) => tag.startsWith(state))) return;
  throw preconditionFailed(
    `The ${noun} was changed since you read it. Read it again, look at what changed, and send your change with the new ETag.`,
  );
}

async function refusingTakenNames<T>(
  noun: string,
  name: string,
  sharing: Sharing | undefined,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    const where = sharing === 'workspace' ? 'The workspace already shares' : 'You already have';
    throw conflict(`${where} a ${noun} named '${name}'. Choose another name, or add a version to that one.`);
  }
}
