import type { Migration } from '../src/kit/db/index.ts';

/** Libraries of documents, with whom they are shared, and the text that was read of each document. */
export const libraries: Migration = {
  name: '0038-libraries',
  oldestProgram: '0.1.0',
  up: async ({ text, json, bigint }) => [
    `create table libraries (
      id ${text} primary key,
      organization_id ${text} not null,
      workspace_id ${text} not null,
      owner_type ${text} not null,
      owner_id ${text} not null,
      name ${text} not null,
      name_folded ${text} not null,
      description ${text},
      chunk_size ${bigint},
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create index libraries_by_organization on libraries (organization_id, created_at)',
    `create table library_shares (
      library_id ${text} not null,
      share_with_type ${text} not null,
      share_with_uuid ${text} not null,
      role ${text} not null,
      created_at ${text} not null,
      primary key (library_id, share_with_type, share_with_uuid)
    )`,
    'create index library_shares_by_entity on library_shares (share_with_uuid)',
    `create table library_documents (
      id ${text} primary key,
      library_id ${text} not null,
      workspace_id ${text} not null,
      parent_id ${text},
      depth ${bigint} not null,
      name ${text} not null,
      name_folded ${text} not null,
      extension ${text},
      mime_type ${text},
      bytes ${bigint},
      sha256 ${text},
      url ${text},
      summary ${text},
      attributes ${json},
      expires_at ${text},
      url_secret ${text} not null,
      process_status ${text} not null,
      error_code ${text},
      error_message ${text},
      progress ${text},
      number_of_pages ${bigint},
      tokens_main ${bigint},
      tokens_summary ${bigint},
      uploaded_by_id ${text} not null,
      created_at ${text} not null,
      last_processed_at ${text}
    )`,
    'create index library_documents_by_library on library_documents (library_id, created_at)',
    'create unique index library_documents_by_content on library_documents (library_id, sha256)',
    'create index library_documents_by_hash on library_documents (sha256)',
    'create index library_documents_by_parent on library_documents (parent_id)',
    'create index library_documents_by_expiry on library_documents (expires_at)',
    `create table library_pages (
      document_id ${text} not null,
      page ${bigint} not null,
      text ${text} not null,
      primary key (document_id, page)
    )`,
  ],
};
