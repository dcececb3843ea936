import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { numberedPage, offsetOf, requestErrors, type Scope } from '../../kit/http/index.ts';
import { datasetErrors } from '../errors.ts';
import { importTask, NEEDED } from '../import/import-task.ts';
import type { DatasetPorts } from '../ports.ts';
import type {
  DatasetImportTask,
  ImportKind,
  ImportRequests,
  ListDatasetImportTasksResponse,
  PageQuery,
} from '../schema.ts';
import { countImports, findImport, insertImport, listImports } from '../store/imports.ts';
import type { ImportRow } from '../store/tables.ts';
import { datasetFinder } from './datasets.ts';

/** Of one dataset at once; the others wait in their callers. */
const RUNNING_MAX = 20;

export type ImportsPart = {
  /** The task that does it; it is durable before this resolves. */
  start<K extends ImportKind>(
    scope: Scope,
    idOrSlug: string,
    kind: K,
    request: ImportRequests[K],
  ): Promise<DatasetImportTask>;
  list(scope: Scope, idOrSlug: string, query: PageQuery): Promise<ListDatasetImportTasksResponse>;
  get(scope: Scope, idOrSlug: string, id: string): Promise<DatasetImportTask>;
};

export function createImportsPart(ports: DatasetPorts): ImportsPart {
  const { database, tasks, files, now } = ports;
  const { db } = database;
  const find = datasetFinder(ports);

  return {
    async start(scope, idOrSlug, kind, request) {
      const needed = NEEDED[kind];
      if (!scope.permissions.has(needed)) throw requestErrors.permission_denied(needed);
      const { id: dataset_id, workspace_id } = await find(scope, idOrSlug);
      if (kind === 'spans') checkTargets(request as ImportRequests['spans']);
      // A file that is missing is told at once; the rest is looked for when the import runs.
      if (kind === 'file') await files.get(scope, (request as ImportRequests['file']).file_id);
      const created_at = isoMicros(now);
      const row: ImportRow = {
        ...{ id: uuidv7(now()), workspace_id, dataset_id, creator_id: scope.user_id, kind },
        request: JSON.stringify(request),
        ...{ status: 'RUNNING', progress: 0, message: null },
        ...{ taken_count: 0, imported_count: 0, skipped_count: 0 },
        created_at,
        updated_at: created_at,
      };
      await database.transaction(async (tx) => {
        const running = await countImports(tx, { workspaceId: workspace_id, datasetId: dataset_id }, 'RUNNING');
        if (running >= RUNNING_MAX) throw datasetErrors.dataset_imports_busy(RUNNING_MAX);
        await insertImport(tx, row);
        await tasks.enqueue(tx, importTask(row, scope));
      });
      return toTask(row);
    },
    async list(scope, idOrSlug, query) {
      const { id: datasetId, workspace_id: workspaceId } = await find(scope, idOrSlug);
      const place = { workspaceId, datasetId };
      const rows = await listImports(db, place, offsetOf(query));
      const path = `/v1/observability/datasets/${datasetId}/tasks`;
      return { tasks: numberedPage(path, query, rows.map(toTask), await countImports(db, place)) };
    },
    async get(scope, idOrSlug, id) {
      const { id: datasetId, workspace_id: workspaceId } = await find(scope, idOrSlug);
      const row = await findImport(db, { workspaceId, datasetId }, id);
      if (!row) throw datasetErrors.dataset_task_not_found(id);
      return toTask(row);
    },
  };
}

function checkTargets({ mapping_contract: { mappings } }: ImportRequests['spans']): void {
  const targets = mappings.map(({ target_field }) => target_field);
  const twice = targets.findIndex((target, at) => targets.indexOf(target) !== at);
  if (twice < 0) return;
  const loc = ['body', 'mapping_contract', 'mappings', twice, 'target_field'];
  throw datasetErrors.dataset_mapping_invalid(loc, 'another mapping has this target already', targets[twice]);
}

function toTask(row: ImportRow): DatasetImportTask {
  const { id, created_at, updated_at, creator_id, dataset_id, workspace_id, status, progress, message } = row;
  const result = {
    requested_record_count: row.taken_count,
    imported_record_count: row.imported_count,
    skipped_record_count: row.skipped_count,
  };
  return {
    ...{ id, created_at, updated_at, deleted_at: null, creator_id, dataset_id, workspace_id },
    ...{ status, progress, message },
    result: status === 'RUNNING' ? null : result,
  };
}
