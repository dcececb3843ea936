import type { DocumentChunk, DocumentEntry, ReadPage, ReadRequest, ReadResult } from './read-engine.ts';

export type ReadSettings = {
  /** Of all text of a document. */
  textCharactersMax: number;
  chunksMax: number;
  /** Of an archive or a mail. */
  entriesMax: number;
  /** What may be unpacked of one file in total. */
  unpackedBytesMax: number;
};

export type ReadTask = Omit<ReadRequest, 'tenant'>;

/** Entries first; then pages and chunks in groups, so that no message holds up the server; then the rest. */
export type ReadPart =
  | { entry: DocumentEntry }
  | { pages: ReadPage[] }
  | { chunks: DocumentChunk[] }
  | { facts: Omit<ReadResult, 'pages' | 'chunks'> };
