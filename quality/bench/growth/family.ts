import type { Kind } from '../../campaigns/tenants/id-fields.ts';

export type Ids = Partial<Record<Kind, string>>;

/** The row of a table that is copied, and what differs in each copy. */
export type Copied = {
  /** The row whose column has the id of this kind, after this text, in which `{kind}` is an id too. */
  of: [column: string, kind: Kind, before?: string];
  fresh: string[];
  /** The row is read from here, such as a view. */
  source?: string;
  /** The copies are of another tenant: the list comes whole, as published, so it is as long as what its tenant has. */
  isElsewhere?: true;
};

export type Family = {
  tables: Record<string, Copied>;
  /** Kept by triggers: raised at once instead of a million times. */
  tally?: [scope: Kind, noun: string];
  /** A statement that follows the copies. */
  followUp?: (ids: Ids) => string;
  /**
   * What is read: `{kind}` is an id, `{half}` and `{last}` a number of rows, `{any}` the number of one of them, each time of
   * another, `{middle:20}` the number of the page in the middle for pages of twenty, `{next:name}` where the next page began
   * when there were few rows, by the member of the answer that says so: behind most rows when there are many. Of a `STREAM`
   * its first event is awaited.
   */
  reads: string[];
  /** Reads that grow by nature, each with why: they have a figure and no bar. */
  growing?: Record<string, string>;
};

export const own = (table: string, kind: Kind, ...fresh: string[]) => ({
  [table]: { of: ['id', kind], fresh: ['id', ...fresh] } satisfies Copied,
});

/** The value that the copied row has. */
export const seedOf = ([, kind, before = '']: Copied['of'], ids: Ids): string =>
  before.replaceAll(/\{(\w+)\}/g, (_, one) => ids[one as Kind] ?? '') + (ids[kind] ?? '');
