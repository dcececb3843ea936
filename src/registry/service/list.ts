import { isoMicros } from '../../kit/base/clock.ts';
import type { Sized } from '../../kit/db/index.ts';
import { mapGroups } from '../../kit/http/index.ts';
import { etagOf, LATEST, type ListQuery, type Snapshot, type Viewer } from '../schema.ts';
import { listPage, listSnapshots, measure, type Position } from '../store/pages.ts';
import { searchObjects } from '../store/search.ts';
import { type Core, storable } from './core.ts';

export type FoundObject = { id: string; name: string; title: string; detail: string; at: string };

export type Listing<D, W> = {
  /** The newest objects whose name, title, description, id or latest definition has the text. */
  search(viewer: Viewer, text: string, limit: number): Promise<FoundObject[]>;
  /** A page ends early when its objects are large. */
  list(viewer: Viewer, query: ListQuery): Promise<{ groups: AsyncGenerator<W[]>; nextPageToken: string | undefined }>;
  /** Objects at given versions as they are stored, in groups. For rooms that have checked who may see them. */
  readMany<E extends { id: string; version: number }>(
    entries: readonly E[],
  ): Promise<{ sized: (E & Sized)[]; read(group: readonly E[]): Promise<Snapshot<D>[]> }>;
};

type Cursor = { after: Position; changedUntil?: string | undefined };

export function createListing<D, W>(core: Core<D, W>): Listing<D, W> {
  const { database, now, tokens, kind, render, cache, rareHoldersMax = 500 } = core;
  return {
    search: (viewer, text, limit) => searchObjects(database.db, kind, viewer, text, limit),
    async list(viewer, { pageSize, pageToken, alias: given, field, direction, withDefinition }) {
      const alias = given === LATEST ? undefined : given && storable(given);
      const question = [kind, viewer.workspace_id, viewer.user_id, field, direction, alias ?? ''];
      const cursor = pageToken ? (tokens.read(question, pageToken) as Cursor) : undefined;
      // By oldest change first, an object that changes moves ahead of the reader and would be listed twice; so changes
      // since the first page are left out. In the other orders it moves behind the reader.
      const changedUntil =
        field === 'updated_at' && direction === 'asc' ? (cursor?.changedUntil ?? isoMicros(now)) : undefined;
      const { groups, next } = await listPage<D>(database, {
        kind,
        viewer,
        field,
        direction,
        after: cursor?.after,
        changedUntil,
        limit: pageSize,
        alias,
        rareHoldersMax,
        withDefinition,
      });
      // A cached object saves rendering it; the others would only fill the cache.
      const show = (snapshot: Snapshot<D | undefined>) =>
        (withDefinition ? cache.get(etagOf(snapshot))?.value : undefined) ?? render(snapshot);
      return {
        groups: mapGroups(groups, show),
        nextPageToken: next && tokens.write(question, { after: next, changedUntil } satisfies Cursor),
      };
    },
    async readMany(entries) {
      const sized = await measure(database, entries);
      return { sized, read: (group) => listSnapshots<D>(database.db, group) };
    },
  };
}
