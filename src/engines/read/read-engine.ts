import type { Tenant } from '../../kit/fair-queue/index.ts';

/** Where a piece of text stands on its page, as fractions of the page from its top left corner. */
export type TextBox = { page: number; x0: number; y0: number; x1: number; y1: number };

/**
 * A piece of a document in reading order. Only headings have a level, from 1. A margin is what a page has beside its text, such as
 * its header: it is left out of the text, unless the page has no other.
 */
export type Block = {
  kind: 'heading' | 'text' | 'table' | 'code' | 'notes' | 'margin';
  text: string;
  level?: number;
  /** From 0; null where the format has no pages. */
  page: number | null;
  boxes?: TextBox[];
};

/** A piece of a document that is found and cited as one. */
export type DocumentChunk = {
  position: number;
  text: string;
  kind: 'text' | 'table' | 'code' | 'notes';
  /** The headings above it, outermost first. */
  headings: string[];
  page: number | null;
  boxes: TextBox[];
  /** The position of the chunk that it belongs to: of the slide of its notes, of the table that it continues. */
  parent: number | null;
};

/** A file inside a document: an entry of an archive, an attachment of a mail. */
export type DocumentEntry = { name: string; content: Uint8Array };

export type ReadRequest = {
  tenant?: Tenant;
  /** The bytes of a document, or what another engine has read of it. */
  source:
    | { bytes: Uint8Array; filename: string; mimetype: string | null }
    | { blocks: Block[] }
    | { pages: { markdown: string; margins: string[] }[] };
  /** The length of a chunk in characters that the splitter aims for. */
  chunkCharacters: number;
};

/** The text of a page as Markdown, and what was left out of it. */
export type ReadPage = { text: string; leftOut: string[] };

export type ReadResult = {
  title: string | null;
  language: string | null;
  /** One page where the format has none. */
  pages: ReadPage[];
  chunks: DocumentChunk[];
  /** Only a container of other documents, without text of its own. */
  isContainer: boolean;
};

export type ReadEngine = {
  /** Entries are handed out while the document is read, one at a time. */
  read(
    request: ReadRequest,
    signal: AbortSignal,
    onEntry?: (entry: DocumentEntry) => Promise<void>,
  ): Promise<ReadResult>;
  pids(): number[];
  close(): Promise<void>;
};
