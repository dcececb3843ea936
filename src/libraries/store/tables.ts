import type { ColumnType, Selectable } from 'kysely';
import type { Tables } from '../../kit/db/index.ts';
import type { Holder } from '../../tenants/index.ts';
import type { EntityType, ProcessStatus, ShareEnum, SourcePlace, SourceResult, SourceStatus } from '../schema.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    libraries: {
      id: string;
      organization_id: string;
      workspace_id: string;
      owner_type: 'User' | 'Workspace';
      owner_id: string;
      name: string;
      /** For searches: lower case by Unicode's rules, which neither database implements fully. */
      name_folded: string;
      description: string | null;
      chunk_size: number | null;
      created_at: string;
      updated_at: string;
    };
    library_shares: {
      library_id: string;
      share_with_type: EntityType;
      share_with_uuid: string;
      role: ShareEnum;
      created_at: string;
    };
    library_documents: {
      id: string;
      library_id: string;
      /** Of the library. */
      workspace_id: string;
      /** The archive, mail or site that it came with. */
      parent_id: string | null;
      /** How many archives are around it. */
      depth: number;
      name: string;
      name_folded: string;
      extension: string | null;
      mime_type: string | null;
      /** Null until the content of an address was fetched. */
      bytes: number | null;
      sha256: string | null;
      url: string | null;
      summary: string | null;
      attributes: ColumnType<Record<string, unknown> | null, string | null, string | null>;
      expires_at: string | null;
      /** Signs the links of this document. */
      url_secret: string;
      process_status: ProcessStatus;
      error_code: string | null;
      error_message: string | null;
      progress: string | null;
      number_of_pages: number | null;
      tokens_main: number | null;
      tokens_summary: number | null;
      uploaded_by_id: string;
      created_at: string;
      last_processed_at: string | null;
    };
    library_sources: {
      id: string;
      library_id: string;
      /** Of the library. */
      workspace_id: string;
      place: ColumnType<SourcePlace, string, string>;
      /** Null: only when somebody asks for it. */
      interval_seconds: number | null;
      /** Who asked for it; what they may do is read at each run. */
      caller: ColumnType<Holder, string, string>;
      status: SourceStatus;
      /** The commit of a repository that was read last. */
      revision: string | null;
      result: ColumnType<SourceResult | null, string | null, string | null>;
      error_code: string | null;
      error_message: string | null;
      last_run_at: string | null;
      next_run_ms: number | null;
      created_by_id: string;
      created_at: string;
    };
    library_source_files: { source_id: string; path: string; sha256: string; document_id: string };
    library_pages: {
      document_id: string;
      page: number;
      text: string;
      /** Null of a page that was read before this was kept. */
      left_out: ColumnType<string[] | null, string | null, string | null>;
    };
  }
}

export type LibraryRow = Selectable<Tables['libraries']>;
export type ShareRow = Selectable<Tables['library_shares']>;
export type DocumentRow = Selectable<Tables['library_documents']>;
export type SourceRow = Selectable<Tables['library_sources']>;
