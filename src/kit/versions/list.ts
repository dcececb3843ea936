import { isoMicros } from '../base/clock.ts';
import { type Core, renderSnapshot } from './core.ts';
import { listPage, type Position, type SortField } from './list-store.ts';
import { LATEST, type Snapshot, type Viewer } from './snapshot.ts';

export type ListQuery = {
  pageSize: number;
  pageToken?: string | undefined;
  alias?: string | undefined;
  field: SortField;
  direction: 'asc' | 'desc';
  /** False when the room will not show definitions, which are then not read. */
  withDefinition: boolean;
};

export type Page<W> = { items: W[]; nextPageToken: string | undefined };

export type Listing<W> = { list(viewer: Viewer, query: ListQuery): Promise<Page<W>> };

type Cursor = { after: Position; changedUntil?: string | undefined };

export function createListing<V extends Viewer, D, W>(core: Core<V, D, W>): Listing<W> {
  const { database, now, tokens, kind, render } = core;
  return {
    async list(viewer, { pageSize, pageToken, alias: given, field, direction, withDefinition }) {
      const alias = given === LATEST ? undefined : given?.replaceAll('\0', '');
      const question = [kind, viewer.workspace_id, viewer.user_id, field, direction, alias ?? ''];
      const cursor = pageToken ? (tokens.read(question, pageToken) as Cursor) : undefined;
      // Oldest change first, a changed object moves to the end, where it would be met again. What changed since the
      // first page is therefore left out. In all other orders of time it moves to where the reader has been.
      const changedUntil =
        field === 'updated_at' && direction === 'asc' ? (cursor?.changedUntil ?? isoMicros(now)) : undefined;
      const { snapshots, next } = await listPage<D>(database.db, {
        kind,
        viewer,
        field,
        direction,
        after: cursor?.after,
        changedUntil,
        limit: pageSize,
        alias,
        withDefinition,
      });
      const items = await Promise.all(
        snapshots.map(async (snapshot) =>
          withDefinition ? (await renderSnapshot(core, snapshot as Snapshot<D>)).value : render(snapshot),
        ),
      );
      return { items, nextPageToken: next && tokens.write(question, { after: next, changedUntil } satisfies Cursor) };
    },
  };
}
