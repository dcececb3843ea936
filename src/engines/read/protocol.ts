import type { DocumentEntry, ReadRequest, ReadResult } from './read-engine.ts';

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

export type ReadPart = { entry: DocumentEntry } | { result: ReadResult };
