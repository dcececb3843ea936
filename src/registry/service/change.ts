import { canonicalJson, digestOf } from '../../kit/base/canonical-json.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { afterCommit, type Tx } from '../../kit/db/index.ts';
import { type Scope, tagsOf } from '../../kit/http/index.ts';
import { describeMoves, movesAway, movesTo } from '../plan-moves.ts';
import type { Rendered } from '../rendered-cache.ts';
import { etagOf, type Selector, type Sharing, type Snapshot } from '../schema.ts';
import { applyMoves, updateAudience } from '../store/aliases.ts';
import {
  byIdOrName,
  deleteObject,
  findObjectForChange,
  insertObject,
  NameTaken,
  updateObject,
} from '../store/objects.ts';
import { EVERYONE, type ObjectRow } from '../store/tables.ts';
import { findVersion, insertVersion, updateNotes } from '../store/versions.ts';
import { type Change, type Core, missingVersion, recordChange, renderSnapshot } from './core.ts';

export type NewVersion<D> = {
  definition: D;
  notes?: string | undefined;
  aliases?: readonly string[] | undefined;
  /** Added to the audit entry. */
  details?: Record<string, string> | undefined;
  /** Writes the room's own rows of a new version, in the transaction that creates it. */
  alongside?: ((tx: Tx, objectId: string, version: number) => Promise<void>) | undefined;
};

type ObjectChanges = {
  title?: string | undefined;
  description?: string | undefined;
  sharing?: Sharing | undefined;
  relation?: 'reader' | 'writer' | undefined;
};

type NewObject<D> = NewVersion<D> & ObjectChanges & { name: string };

/** `aliases` replaces the aliases of the version; they stay if left out. */
type VersionChanges = { notes?: string | undefined; aliases?: readonly string[] | undefined };

/** `ifMatch` is the request header: a change is refused if none of its tags is the object's current state. */
type Condition = { ifMatch?: string | undefined };

type CreatedVersion = { version: number; deduplicated: boolean; etag: string };

export type Changing<D, W> = {
  create(scope: Scope, input: NewObject<D>): Promise<Rendered<W>>;
  /** A definition equal to an existing version's creates no new one; notes and aliases are applied to that version. */
  createVersion(scope: Scope, idOrName: string, input: NewVersion<D>, condition?: Condition): Promise<CreatedVersion>;
  update(scope: Scope, idOrName: string, changes: ObjectChanges, condition?: Condition): Promise<Rendered<W>>;
  updateVersion(
    scope: Scope,
    idOrName: string,
    version: number,
    changes: VersionChanges,
    condition?: Condition,
  ): Promise<Rendered<W>>;
  remove(scope: Scope, idOrName: string, condition?: Condition): Promise<void>;
  /** Changes the room's own rows of an object while its row is locked; the work returns details for the audit log. */
  updateAlongside(
    scope: Scope,
    idOrName: string,
    work: (tx: Tx, objectId: string) => Promise<Record<string, string>>,
  ): Promise<void>;
};

export function createChanging<D, W>(core: Core<D, W>): Changing<D, W> {
  const {
    database,
    now,
    kind,
    errors,
    replies,
    findSnapshot,
    identity = (definition: D): unknown => definition,
  } = core;
  const record = (tx: Tx, scope: Scope, change: Change) => recordChange(core, tx, scope, change);

  function transaction<T>({ workspace_id }: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.transaction((tx) => {
      // Before the change is acknowledged, so that a later read cannot return an old reply.
      afterCommit(tx, () => replies.forget(workspace_id));
      return work(tx);
    });
  }

  /** Changes of one object run one after another: each begins by locking its row. */
  function change<T>(
    scope: Scope,
    idOrName: string,
    { ifMatch }: Condition,
    work: (tx: Tx, object: ObjectRow) => Promise<T>,
  ): Promise<T> {
    return transaction(scope, async (tx) => {
      const object = await byIdOrName(idOrName, (ref) => findObjectForChange(tx, database, kind, scope, ref));
      if (!object) throw errors.not_found(idOrName);
      if (object.audience === EVERYONE && object.workspace_relation === 'reader') refuseReader(scope, object);
      if (ifMatch !== undefined && !matches(ifMatch, object)) throw errors.changed();
      return work(tx, object);
    });
  }

  function refuseReader(scope: Scope, { owner_id, name }: ObjectRow): void {
    if (owner_id === scope.user_id || (core.administeredBy && scope.permissions.has(core.administeredBy))) return;
    throw errors.read_only?.() ?? errors.not_found(name);
  }

  async function snapshotOf(tx: Tx, scope: Scope, { id }: ObjectRow, selector: Selector): Promise<Snapshot<D>> {
    const snapshot = (await findSnapshot<D>(tx, scope, { id }, selector))?.snapshot;
    if (!snapshot) throw new Error(`The ${kind} ${id} disappeared during its own change.`);
    return snapshot;
  }

  function encode(definition: D) {
    return { definition: canonicalJson(definition), digest: digestOf(canonicalJson(identity(definition))) };
  }

  async function refuseTakenName<T>(name: string, sharing: Sharing | undefined, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof NameTaken)) throw error;
      throw errors.name_taken?.(name, sharing === 'workspace') ?? error;
    }
  }

  return {
    async create(scope, input) {
      const time = isoMicros(now);
      const { name, aliases = [], sharing = 'private' } = input;
      const author_id = scope.user_id;
      const object: ObjectRow = {
        id: uuidv7(now()),
        kind,
        workspace_id: scope.workspace_id,
        audience: sharing === 'workspace' ? EVERYONE : author_id,
        owner_id: author_id,
        name,
        title: input.title ?? '',
        description: input.description ?? '',
        latest_version: 1,
        workspace_relation: input.relation === 'reader' ? 'reader' : null,
        revision: 1,
        created_at: time,
        updated_at: time,
      };
      const version = { object_id: object.id, version: 1, ...encode(input.definition), author_id, created_at: time };
      const snapshot = await refuseTakenName(name, sharing, () =>
        transaction(scope, async (tx) => {
          await insertObject(tx, object);
          await insertVersion(tx, { ...version, notes: input.notes ?? '' });
          await input.alongside?.(tx, object.id, 1);
          const moves = [...new Set(aliases)].map((alias) => ({ alias, from: null, to: 1 }));
          await applyMoves(tx, object, moves, { author_id, moved_at: time });
          const created = await snapshotOf(tx, scope, object, {});
          const details = {
            version: '1',
            sharing_scope: sharing,
            ...(input.relation ? { workspace_relation: input.relation } : {}),
            ...describeMoves(moves),
            ...input.details,
          };
          await record(tx, scope, { event: 'create', object, details });
          return created;
        }),
      );
      return renderSnapshot(core, snapshot);
    },

    createVersion(scope, idOrName, input, condition = {}) {
      const encoded = encode(input.definition);
      return change(scope, idOrName, condition, async (tx, object) => {
        const time = isoMicros(now);
        const author_id = scope.user_id;
        const known = await findVersion(tx, object.id, { digest: encoded.digest });
        const version = known?.version ?? object.latest_version + 1;
        const moves = await movesTo(tx, object, version, input.aliases ?? []);
        const { notes = known?.notes ?? '' } = input;
        if (known && notes === known.notes && moves.length === 0) {
          return { version, deduplicated: true, etag: etagOf({ ...object, version }) };
        }
        const changed = await updateObject(tx, object, {
          updated_at: time,
          ...(known ? {} : { latest_version: version }),
        });
        if (!known) {
          await insertVersion(tx, { object_id: object.id, version, ...encoded, notes, author_id, created_at: time });
          await input.alongside?.(tx, object.id, version);
        } else if (notes !== known.notes) await updateNotes(tx, object.id, version, notes);
        await applyMoves(tx, changed, moves, { author_id, moved_at: time });
        const details = {
          version: String(version),
          ...(known ? { deduplicated: 'true' } : {}),
          ...describeMoves(moves),
          ...input.details,
        };
        await record(tx, scope, { event: known ? 'update' : 'version', object, details });
        return { version, deduplicated: known !== undefined, etag: etagOf({ ...changed, version }) };
      });
    },

    async update(scope, idOrName, changes, condition = {}) {
      const snapshot = await refuseTakenName(idOrName, changes.sharing, () =>
        change(scope, idOrName, condition, async (tx, object) => {
          const { title = object.title, description = object.description, sharing } = changes;
          const isShared = sharing === undefined ? object.audience === EVERYONE : sharing === 'workspace';
          const audience = isShared ? EVERYONE : object.owner_id;
          const isMoved = audience !== object.audience;
          if (isMoved && !isShared && object.owner_id !== scope.user_id)
            throw errors.owner_only?.() ?? errors.not_found(idOrName);
          const relation = changes.relation ?? object.workspace_relation ?? 'writer';
          const isRelated = relation !== (object.workspace_relation ?? 'writer');
          if (isRelated) refuseReader(scope, object);
          if (!isMoved && !isRelated && title === object.title && description === object.description) {
            return snapshotOf(tx, scope, object, {});
          }
          const workspace_relation = relation === 'reader' ? relation : null;
          const updated_at = isoMicros(now);
          await updateObject(tx, object, { title, description, audience, workspace_relation, updated_at });
          if (isMoved) await updateAudience(tx, object.id, audience);
          const updated = await snapshotOf(tx, scope, object, {});
          const details = {
            ...(title === object.title ? {} : { title: 'changed' }),
            ...(description === object.description ? {} : { description: 'changed' }),
            ...(isRelated ? { workspace_relation: relation } : {}),
            ...(isMoved ? { sharing_scope: isShared ? 'workspace' : 'private' } : {}),
          };
          const event = isMoved ? (isShared ? 'share' : 'unshare') : 'update';
          await record(tx, scope, { event, object, details });
          return updated;
        }),
      );
      return renderSnapshot(core, snapshot);
    },

    async updateVersion(scope, idOrName, version, changes, condition = {}) {
      const snapshot = await change(scope, idOrName, condition, async (tx, object) => {
        const known = await findVersion(tx, object.id, { version });
        if (!known) throw missingVersion(core, idOrName, { version });
        const time = isoMicros(now);
        const { notes = known.notes, aliases } = changes;
        const moves = [
          ...(aliases ? await movesAway(tx, object, version, aliases) : []),
          ...(await movesTo(tx, object, version, aliases ?? [])),
        ];
        if (notes === known.notes && moves.length === 0) return snapshotOf(tx, scope, object, { version });
        const changed = await updateObject(tx, object, { updated_at: time });
        if (notes !== known.notes) await updateNotes(tx, object.id, version, notes);
        await applyMoves(tx, changed, moves, { author_id: scope.user_id, moved_at: time });
        const updated = await snapshotOf(tx, scope, object, { version });
        const details = { version: String(version), ...describeMoves(moves) };
        await record(tx, scope, { event: 'update', object, details });
        return updated;
      });
      return renderSnapshot(core, snapshot);
    },

    updateAlongside(scope, idOrName, work) {
      return change(scope, idOrName, {}, async (tx, object) => {
        const details = await work(tx, object.id);
        await record(tx, scope, { event: 'update', object, details });
      });
    },

    remove(scope, idOrName, condition = {}) {
      return change(scope, idOrName, condition, async (tx, object) => {
        await deleteObject(tx, object.id);
        await record(tx, scope, { event: 'delete', object, details: { versions: String(object.latest_version) } });
      });
    },
  };
}

// A tag also names a version; a change compares only the state of the whole object.
function matches(header: string, { id, revision }: ObjectRow): boolean {
  const state = `"${id}.${revision}.`;
  return header.trim() === '*' || tagsOf(header).some((tag) => tag.startsWith(state));
}
