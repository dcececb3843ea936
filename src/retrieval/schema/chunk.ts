export type ChunkKind = 'text' | 'table' | 'code' | 'notes';

/** A place on a page, in the page's own units. */
export type Box = { page: number; x0: number; y0: number; x1: number; y1: number };

export type NewChunk = {
  /** Its place in the document; no two chunks share one. */
  position: number;
  text: string;
  kind: ChunkKind;
  /** The headings above it, outermost first. */
  headings: string[];
  /** From 0. */
  page: number | null;
  boxes: Box[];
  /** The position of the chunk that holds this one. */
  parent: number | null;
  /** Where it begins and ends in the document's text. */
  start_offset?: number | null;
  end_offset?: number | null;
  /** More that is known of this chunk alone; filters see it. */
  fields?: Record<string, unknown>;
  /** A vector that was made elsewhere, for a collection whose model is not served here. */
  vector?: number[];
};

/** Chunk ids of one collection are together: its number, and then the chunk's number in it. */
export const CHUNKS_PER_COLLECTION = 2 ** 28;

export const firstIdOf = (collectionNo: number): number => collectionNo * CHUNKS_PER_COLLECTION;
export const collectionOf = (id: number): number => Math.floor(id / CHUNKS_PER_COLLECTION);
