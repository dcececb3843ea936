import type { Filter } from '../schema/filter.ts';
import type { NearestKind } from '../store/nearest.ts';
import type { Scored, TextScored } from '../store/text.ts';

/** One collection of a search, with what the query is in it. Plain data: it may cross to a thread. */
export type CollectionQuery = {
  no: number;
  /** One more than the largest number of a chunk. */
  span: number;
  /** For each word its possible forms; none where the text is not searched. */
  terms: string[][];
  set: SetQuery | null;
};
export type SetQuery = {
  no: number;
  vector: Float32Array;
  /** What PostgreSQL has an index of; without one the signs are scanned. */
  index: NearestKind | null;
};

export type CandidateQuery = {
  collections: CollectionQuery[];
  /** Every word must be there, instead of any. */
  needsAll: boolean;
  filter: Filter | null;
  /** So many of each kind are wanted. */
  limit: number;
};

export type Candidates = { text: TextScored[]; vector: Scored[] };
