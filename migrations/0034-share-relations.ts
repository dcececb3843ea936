import type { Migration } from '../src/kit/db/index.ts';

/** `reader` where the workspace may only read a shared object; null where it may change it, as before. */
export const shareRelations: Migration = {
  name: '0034-share-relations',
  oldestProgram: '0.1.0',
  up: async ({ text }) => [`alter table versioned_objects add column workspace_relation ${text}`],
};
