import type { Migration } from '../src/kit/db/index.ts';

/** What stands beside the text of a page, such as its header: a JSON array of texts. Null of a page that was read earlier. */
export const whatWasLeftOut: Migration = {
  name: '0087-what-was-left-out',
  oldestProgram: '0.1.0',
  up: ({ json }) => [`alter table library_pages add column left_out ${json}`],
};
