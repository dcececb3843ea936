import type { Migration } from '../src/kit/db/index.ts';

/**
 * What is indexed of documents. A chunk's id is the number of its collection and its own number in it, so that each index
 * keeps a collection together. Documents that are not live are being written or removed.
 */
export const retrieval: Migration = {
  name: '0039-retrieval',
  oldestProgram: '0.1.0',
  up: async ({ text, json, bytes, bigint, boolean, number }, kind) => [
    `create table search_collections (
      no ${bigint} primary key,
      organization_id ${text} not null,
      workspace_id ${text} not null,
      collection_id ${text} not null,
      model ${text},
      languages ${json} not null,
      next_chunk ${bigint} not null,
      is_removed ${boolean} not null,
      created_at ${text} not null
    )`,
    `create unique index search_collections_by_id on search_collections (workspace_id, collection_id)`,
    `create table search_sets (
      no ${bigint} primary key,
      collection_no ${bigint} not null,
      model ${text} not null,
      dimensions ${bigint},
      state ${text} not null,
      nearest ${text}
    )`,
    `create index search_sets_by_collection on search_sets (collection_no)`,
    `create table search_documents (
      id ${bigint} primary key,
      collection_no ${bigint} not null,
      document_id ${text} not null,
      title ${text} not null,
      language ${text},
      attributes ${json} not null,
      chunks ${bigint} not null,
      reserved ${bigint} not null,
      is_live ${boolean} not null,
      holder ${json},
      created_at ${text} not null
    )`,
    `create index search_documents_by_id on search_documents (collection_no, document_id)`,
    `create index search_documents_unused on search_documents (created_at) where ${kind === 'sqlite' ? 'is_live = 0' : 'not is_live'}`,
    `create table search_chunks (
      id ${bigint} primary key,
      document ${bigint} not null,
      position ${bigint} not null,
      kind ${text} not null,
      text ${text} not null,
      headings ${json} not null,
      page ${bigint},
      boxes ${json} not null,
      parent ${bigint},
      start_offset ${bigint},
      end_offset ${bigint},
      fields ${json}
    )`,
    `create table search_attributes (
      owner ${bigint} not null,
      span ${bigint} not null,
      collection_no ${bigint} not null,
      field ${text} not null,
      text_value ${text},
      number_value ${number}
    )`,
    `create index search_attributes_by_owner on search_attributes (owner)`,
    `create index search_attributes_by_text on search_attributes (collection_no, field, text_value)`,
    `create index search_attributes_by_number on search_attributes (collection_no, field, number_value)`,
    `create table search_vectors (
      set_no ${bigint} not null,
      id ${bigint} not null,
      vector ${bytes} not null,
      primary key (set_no, id)
    )`,
    `create table search_blocks (
      set_no ${bigint} not null,
      block_no ${bigint} not null,
      present ${bytes} not null,
      bits ${bytes} not null,
      primary key (set_no, block_no)
    )`,
    ...fullText[kind],
    `create table search_indexes (
      id ${text} primary key,
      workspace_id ${text} not null,
      name ${text} not null,
      creator_id ${text} not null,
      config ${json} not null,
      schema ${json} not null,
      created_at ${text} not null,
      modified_at ${text} not null
    )`,
    `create unique index search_indexes_by_name on search_indexes (workspace_id, name)`,
    `create table search_index_summaries (
      index_id ${text} not null references search_indexes (id) on delete cascade,
      language ${text} not null,
      content ${text} not null,
      status ${text} not null,
      translated ${boolean} not null,
      primary key (index_id, language)
    )`,
    `create table rag_deployments (
      id ${text} primary key,
      workspace_id ${text} not null,
      name ${text} not null,
      creator_id ${text} not null,
      status ${text} not null,
      document_count ${bigint} not null,
      deployment ${json} not null,
      created_at ${text} not null,
      modified_at ${text} not null
    )`,
    `create unique index rag_deployments_by_name on rag_deployments (workspace_id, name)`,
    `create table rag_pipelines (
      id ${text} primary key,
      workspace_id ${text} not null,
      name ${text} not null,
      author_id ${text} not null,
      pipeline_composition ${json},
      target_indexes ${json},
      last_run_time ${text},
      last_run_chunks_count ${bigint} not null,
      total_chunks_count ${bigint} not null,
      created_at ${text} not null,
      modified_at ${text} not null
    )`,
    `create unique index rag_pipelines_by_name on rag_pipelines (workspace_id, name)`,
  ],
};

/** The words arrive as stems, each with its collection in front: `_` is the only other character of a token. */
const fullText = {
  sqlite: [
    `create virtual table search_text using fts5 (body, head, tokenize = "ascii tokenchars '_'")`,
    // Deleted words leave the file at once, and not when segments happen to be merged.
    `insert into search_text (search_text, rank) values ('secure-delete', 1)`,
  ],
  postgres: [
    `create table search_text (id bigint primary key, words tsvector not null)`,
    `create index search_text_by_word on search_text using gin (words)`,
  ],
};
