import { isoMicros } from '../../kit/base/clock.ts';
import { LATEST, type ListQuery, type Snapshot, type Viewer } from '../schema.ts';
import { listPage, type Position } from '../store/pages.ts';
import { type Core, renderSnapshot, storable } from './core.ts';

export type Listing<W> = {
  list(viewer: Viewer, query: ListQuery): Promise<{ items: W[]; nextPageToken: string | undefined }>;
};

type Cursor = { after: Position; changedUntil?: string | undefined };

export function createListing<D, W>(core: Core<D, W>): Listing<W> {
  const { database, now, tokens, kind, render } = core;
  return {
    async list(viewer, { pageSize, pageToken, alias: given, field, direction, withDefinition }) {
      const alias = given === LATEST ? undefined : given && storable(given);
      const question = [kind, viewer.workspace_id, viewer.user_id, field, direction, alias ?? ''];
      const cursor = pageToken ? (tokens.read(question, pageToken) as Cursor) : undefined;
      // By oldest change first, an object that changes moves ahead of the reader and would be listed twice; so changes
      // since the first page are left out. In the other orders it moves behind the reader.
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
      const items = snapshots.map((snapshot) =>
        withDefinition ? renderSnapshot(core, snapshot as Snapshot<D>).value : render(snapshot),
      );
      return { items, nextPageToken: next && tokens.write(question, { after: next, changedUntil } satisfies Cursor) };
    },
  };
}
