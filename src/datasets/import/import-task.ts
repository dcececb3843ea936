import type { Scope } from '../../kit/http/index.ts';
import type { NewTask } from '../../kit/tasks/index.ts';
import { type Holder, holderOf, type Permission, tenantOf } from '../../tenants/index.ts';
import type { ImportKind } from '../schema.ts';
import type { ImportRow } from '../store/tables.ts';

export const IMPORT_QUEUE = 'dataset-imports';
/** High, because each crash of a server is an attempt; the handler itself gives up after a few. */
const TASK_ATTEMPTS_MAX = 1000;

export type ImportTask = {
  import_id: string;
  dataset_id: string;
  /** Who asked for it; what they may do is read when the work runs. */
  caller: Holder;
};

/** What an import needs beside `datasets:write`, because it copies what this permission lets one read. */
export const NEEDED: Record<ImportKind, Permission> = {
  file: 'files:read',
  dataset: 'datasets:read',
  playground: 'conversations:read',
  spans: 'observability:read',
};

export function importTask({ id, dataset_id }: Pick<ImportRow, 'id' | 'dataset_id'>, scope: Scope): NewTask {
  const payload: ImportTask = { import_id: id, dataset_id, caller: holderOf(scope) };
  return {
    queue: IMPORT_QUEUE,
    payload,
    dedupeKey: id,
    attemptsMax: TASK_ATTEMPTS_MAX,
    tenant: tenantOf(scope),
  };
}
