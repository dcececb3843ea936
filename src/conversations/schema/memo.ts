import type { Entry, OutputContentChunk } from './entries.ts';

/** What the wire has no field for, and a later turn needs. */
export type Memo = {
  /** The call that a tool.execution answered, and what the model was told. */
  call?: { id: string; name: string; result: string };
  /** Entries with the same number were said in one breath. */
  turn?: number;
  /** Files and sources that belong to the next message. */
  chunks?: OutputContentChunk[];
};

export type Noted = { entry: Entry; memo: Memo | null };
