import type { Scope } from '../../kit/http/index.ts';
import type { NewTask } from '../../kit/tasks/index.ts';
import { type Holder, tenantOf } from '../../tenants/index.ts';
import type { DocumentRow } from '../store/tables.ts';

export const LIBRARY_QUEUE = 'library-documents';
/** High, because each crash of a server is an attempt; the handler itself gives up after a few. */
const TASK_ATTEMPTS_MAX = 1000;

export type DocumentTask = {
  document_id: string;
  library_id: string;
  workspace_id: string;
  /** Who asked for it; what they may do is read when the work runs. */
  caller: Holder;
  /** How often it has waited for capacity. */
  tries: number;
  /** How often what was read of it could not be stored. */
  unstored?: number;
  /** How many servers have died while they read it, up to when it was put back. */
  deaths?: number;
  /** It took too long once already. */
  was_slow?: boolean;
  /** The address is that of a site: at most this many of its pages. */
  site?: number;
};

export function readTask(
  { id, library_id, workspace_id }: Pick<DocumentRow, 'id' | 'library_id' | 'workspace_id'>,
  caller: Holder,
  scope?: Scope,
  site?: number,
): NewTask {
  const payload: DocumentTask = { document_id: id, library_id, workspace_id, caller, tries: 0, ...(site && { site }) };
  const tenant = scope ? { tenant: tenantOf(scope) } : {};
  return { queue: LIBRARY_QUEUE, payload, dedupeKey: id, attemptsMax: TASK_ATTEMPTS_MAX, ...tenant };
}
