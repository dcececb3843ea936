import { type Changing, createChanging } from './change.ts';
import type { Core, VersionsOptions } from './core.ts';
import { createListing, type Listing } from './list.ts';
import { pointersOf } from './pointer-cache.ts';
import { createReading, type Reading } from './read.ts';
import { createRenderedCache } from './rendered-cache.ts';
import type { Viewer } from './snapshot.ts';

/** Named objects with numbered, immutable versions: `V` is who asks, `D` a definition, `W` an object as the room shows it. */
export type Versions<V extends Viewer, D, W> = Reading<D, W> & Listing<W> & Changing<V, D, W>;

export function createVersions<V extends Viewer, D, W>(options: VersionsOptions<V, D, W>): Versions<V, D, W> {
  const core: Core<V, D, W> = {
    ...options,
    cache: createRenderedCache<W>(),
    pointers: pointersOf(options.database, options.kind),
  };
  return { ...createReading(core), ...createListing(core), ...createChanging(core) };
}
