import type { Holder } from '../../tenants/index.ts';
import type { Box, ChunkKind } from '../schema/chunk.ts';

export type CollectionRow = {
  no: number;
  organization_id: string;
  workspace_id: string;
  collection_id: string;
  /** The embedding model of this collection alone; null: that of the configuration. */
  model: string | null;
  languages: string[];
  next_chunk: number;
  is_removed: boolean;
  created_at: string;
};

/** The vectors of a collection that one model made. The old set serves until the new one is whole. */
export type SetRow = {
  no: number;
  collection_no: number;
  model: string;
  dimensions: number | null;
  state: 'live' | 'building' | 'old';
  /** Its table for pgvector: with an index of its signs, or of the vectors themselves (`ready`); null where it has none. */
  nearest: 'building' | 'signs' | 'ready' | null;
};

export type DocumentRow = {
  /** That of its first chunk; the others follow. */
  id: number;
  collection_no: number;
  document_id: string;
  title: string;
  language: string | null;
  attributes: Record<string, unknown>;
  chunks: number;
  /** So many chunk ids belong to it. */
  reserved: number;
  is_live: boolean;
  /** Who asked for its embedding, and pays for it. */
  holder: Holder | null;
  created_at: string;
};

export type ChunkRow = {
  id: number;
  document: number;
  position: number;
  kind: ChunkKind;
  text: string;
  headings: string[];
  page: number | null;
  boxes: Box[];
  parent: number | null;
  start_offset: number | null;
  end_offset: number | null;
  fields: Record<string, unknown> | null;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    search_collections: CollectionRow;
    search_sets: SetRow;
    search_documents: DocumentRow;
    search_chunks: ChunkRow;
    search_attributes: {
      owner: number;
      span: number;
      collection_no: number;
      field: string;
      text_value: string | null;
      number_value: number | null;
    };
    search_vectors: { set_no: number; id: number; vector: Uint8Array };
    search_blocks: { set_no: number; block_no: number; present: Uint8Array; bits: Uint8Array };
  }
}
