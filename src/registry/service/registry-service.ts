import { createRenderedCache } from '../rendered-cache.ts';
import { replyCacheOf } from '../reply-cache.ts';
import { createFindSnapshot } from '../store/snapshots.ts';
import { type Changing, createChanging } from './change.ts';
import type { Core, RegistryOptions } from './core.ts';
import { createListing, type Listing } from './list.ts';
import { createReading, type Reading } from './read.ts';

/** Named objects with numbered, immutable versions: `D` is a definition, `W` an object as responses show it. */
export type Registry<D, W> = Reading<D, W> & Listing<D, W> & Changing<D, W>;

export function createRegistry<D, W>(options: RegistryOptions<D, W>): Registry<D, W> {
  const core: Core<D, W> = {
    ...options,
    cache: createRenderedCache<W>(),
    replies: replyCacheOf(options.database, options.kind),
    findSnapshot: createFindSnapshot(options.database.db, options.kind),
  };
  return { ...createReading(core), ...createListing(core), ...createChanging(core) };
}
