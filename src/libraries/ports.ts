import type { Call } from '../metering/index.ts';
import type { Holder } from '../tenants/index.ts';

/** Boxes are fractions of the page from its top left corner. */
type ChunkBox = { page: number; x0: number; y0: number; x1: number; y1: number };

type NewChunk = {
  position: number;
  text: string;
  kind: 'text' | 'table' | 'code' | 'notes';
  headings: string[];
  /** From 0; null where the format has no pages. */
  page: number | null;
  boxes: ChunkBox[];
  /** The position of the chunk that this one belongs to. */
  parent: number | null;
};

export type IndexedDocument = {
  organizationId: string;
  workspaceId: string;
  /** The library. */
  collectionId: string;
  documentId: string;
  title: string;
  language: string | null;
  attributes: Record<string, unknown>;
  chunks: NewChunk[];
  /** Who pays for its embedding. */
  holder: Holder;
};

type Place = { workspaceId: string; collectionId: string; documentId: string };

/** Where documents are found by their content. */
export type DocumentIndex = {
  /** Replaces what is indexed of a document, atomically; embedding goes on in the background. */
  put(document: IndexedDocument): Promise<void>;
  /** Loads what the first documents would wait for, while they are still being read. */
  warmUp(workspaceId: string): void;
  setAttributes(document: Place & { title: string; attributes: Record<string, unknown> }): Promise<void>;
  /** In reading order. */
  listChunks(
    document: Place & { page: number | undefined; after: number | undefined; limit: number },
  ): Promise<Pick<NewChunk, 'position' | 'text' | 'kind' | 'headings' | 'page' | 'boxes'>[]>;
  removeDocument(document: Place): Promise<unknown>;
  removeCollection(collection: Omit<Place, 'documentId'>): Promise<void>;
  progress(collection: {
    workspaceId: string;
    collectionId: string;
    documentIds: string[];
  }): Promise<Map<string, { chunks: number; embedded: number }>>;
};

type SearchMode = 'hybrid' | 'text' | 'vector';

type AttributeFilter =
  | { type: 'and'; matches: AttributeFilter[] }
  | { type: 'equal'; field: string; value: string | number | boolean };

/** A chunk that was found, and how well. */
type Passage = Pick<NewChunk, 'text' | 'kind' | 'headings' | 'page' | 'boxes' | 'position'> & {
  chunkId: string;
  documentId: string;
  collectionId: string;
  title: string;
  attributes: Record<string, unknown>;
  scores: { text: number | null; vector: number | null; fused: number; rerank: number | null };
};

export type SearchIndex = (request: {
  collections: { workspaceId: string; collectionId: string }[];
  query: string;
  limit: number;
  mode: SearchMode;
  filter?: AttributeFilter | undefined;
  rerank?: boolean | undefined;
  /** Pays for the query's embedding. */
  caller: Call;
}) => Promise<Passage[]>;

/** A page of a PDF or of a picture. Boxes are in the pixels of `size`. */
export type RecognizedPage = {
  /** Without its header and footer, which are the margins. */
  markdown: string;
  margins: string[];
  size: { width: number; height: number } | null;
  blocks: { type: string; content: string; x0: number; y0: number; x1: number; y1: number }[] | null;
};

/** The engines that other rooms hold, billed to the caller. */
export type ReadingPorts = {
  /** Pages `first` to `last` of a PDF or a picture, and how many there are. */
  recognize(
    call: Call,
    document: Uint8Array,
    range: { first: number; last: number },
  ): Promise<{ pages: RecognizedPage[]; pageCount: number }>;
  transcribe(
    call: Call,
    audio: AsyncIterable<Uint8Array>,
    filename: string,
  ): Promise<{ text: string; language: string | null }>;
  /** Undefined where no model for summaries is configured. */
  summarize: ((call: Call, text: string) => Promise<{ text: string; tokens: number }>) | undefined;
};
