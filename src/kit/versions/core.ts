import type { Clock } from '../base/clock.ts';
import type { Database, Tx } from '../db/index.ts';
import { notFound, type PageTokens } from '../http/index.ts';
import type { PointerCache } from './pointer-cache.ts';
import type { Rendered, RenderedCache } from './rendered-cache.ts';
import { etagOf, type Snapshot, type Viewer } from './snapshot.ts';

/** What happened to an object, for the room's audit log: `details` is text, and none of it is secret. */
export type Change = {
  event: 'create' | 'version' | 'update' | 'share' | 'unshare' | 'delete';
  object: { id: string; name: string };
  details: Record<string, string>;
};

export type VersionsOptions<V extends Viewer, D, W> = {
  database: Database;
  now: Clock;
  tokens: PageTokens;
  /** Keeps the room's objects apart from those of others. */
  kind: string;
  /** What the room calls an object when it tells a client about it. */
  noun: string;
  /** An object as the room's answers show it; without its definition in a list that does not show definitions. */
  render(snapshot: Snapshot<D | undefined>): W | Promise<W>;
  /** What of a definition counts when two are compared; all of it if left out. */
  identity?(definition: D): unknown;
  /** Writes the audit entry; called last in the transaction of each change. */
  record(tx: Tx, viewer: V, change: Change): Promise<void>;
};

/** What reading and changing share. */
export type Core<V extends Viewer, D, W> = VersionsOptions<V, D, W> & {
  cache: RenderedCache<W>;
  pointers: PointerCache;
};

export async function renderSnapshot<V extends Viewer, D, W>(
  { render, cache }: Core<V, D, W>,
  snapshot: Snapshot<D>,
): Promise<Rendered<W>> {
  const etag = etagOf(snapshot);
  const known = cache.get(etag);
  if (known) return known;
  const value = await render(snapshot);
  const entry = { value, text: JSON.stringify(value), etag };
  cache.add(entry);
  return entry;
}

/** An object that is somebody else's private one is told of in the very same words as a missing one. */
export function missing({ noun }: { noun: string }, idOrName: string) {
  return notFound(noun, idOrName);
}
