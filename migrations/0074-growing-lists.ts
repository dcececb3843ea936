import type { Migration } from '../src/kit/db/index.ts';

/**
 * Lists whose cost grew with all that a library, a workspace or an organization has: an index now has their order, their filter,
 * or all that a total looks at, so that no row is read for it.
 */
export const growingLists: Migration = {
  name: '0074-growing-lists',
  oldestProgram: '0.1.0',
  up: () => [
    'create index library_documents_by_creation on library_documents (library_id, created_at, id)',
    'create index library_documents_by_name on library_documents (library_id, name_folded, id)',
    'create index library_documents_for_totals on library_documents (library_id, workspace_id, expires_at, bytes)',
    'create index libraries_for_totals on libraries (organization_id, workspace_id, owner_type, owner_id, id)',
    'create index files_for_totals on files (workspace_id, purpose, visibility, user_id, expires_at)',
    'create index batch_jobs_by_status on batch_jobs (workspace_id, status, created_at, id)',
    'create index batch_jobs_by_user on batch_jobs (workspace_id, user_id, created_at, id)',
    'create index audit_logs_by_event on audit_logs (organization_id, event_type, created_at, log_id)',
    'create index audit_logs_by_target on audit_logs (organization_id, target_type, created_at, log_id)',
  ],
};
