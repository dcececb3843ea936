import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import type { Tx } from '../../kit/db/index.ts';
import { ApiError, requestErrors } from '../../kit/http/index.ts';
import {
  createTaskRunner,
  DIED_WITH_IT,
  type QuarantinedTask,
  type RunningTask,
  type TaskRunner,
} from '../../kit/tasks/index.ts';
import { datasetErrors } from '../errors.ts';
import type { DatasetPorts } from '../ports.ts';
import { recordChange, whoIs } from '../record-change.ts';
import { RECORD_BYTES_MAX, RECORDS_MAX } from '../schema.ts';
import { findDataset, takePositions } from '../store/datasets.ts';
import { findImport, updateImport } from '../store/imports.ts';
import { recordWriter } from '../store/records.ts';
import type { ImportRow, RecordRow } from '../store/tables.ts';
import { CLEANUP_QUEUE, runCleanup } from './cleanup-task.ts';
import { fromDataset } from './from-dataset.ts';
import { fromFile } from './from-file.ts';
import { fromPlayground } from './from-playground.ts';
import { fromSpans } from './from-spans.ts';
import { IMPORT_QUEUE, type ImportTask, NEEDED } from './import-task.ts';
import type { Item, Source } from './source.ts';

/** On all servers together; the imports of other organizations go first. */
const TURNS = { perTenantMax: 2, perKeyMax: 1 };
const CONCURRENCY = 2;
/** How long the import of a dead process waits for another one. */
const LEASE_MS = 10_000;
const ATTEMPTS_MAX = 3;
/** What is written at once: short enough that nobody waits for the transaction. */
const ITEMS_AT_ONCE = 100;
const BYTES_AT_ONCE = 512 * 1024;

/** The import or its dataset was deleted, or another process went on with it. */
class Gone extends Error {}

type NewRecord = Pick<RecordRow, 'payload' | 'properties' | 'source'>;
type Part = { records: NewRecord[]; skipped: string[]; bytes: number };

/** Runs imports as tasks: each item once, whatever dies meanwhile, with what its caller may do at that time. */
export function createImportRunner(ports: DatasetPorts): TaskRunner {
  const { database, authority, audit, now, log, recordsMax = RECORDS_MAX } = ports;
  const { db } = database;
  const write = recordWriter(database.kind);

  async function run(task: RunningTask, signal: AbortSignal): Promise<void> {
    const { import_id, dataset_id, caller } = task.payload as ImportTask;
    const found = await findImport(db, { workspaceId: caller.workspace_id, datasetId: dataset_id }, import_id);
    if (found?.status !== 'RUNNING') return;
    let row = found;
    try {
      if (task.attempt > ATTEMPTS_MAX) {
        await end(task, row, 'FAILED', 'The server stopped each time it ran the import.');
        return;
      }
      const scope = { ...(await authority.scopeOf(caller, 'datasets:write')), isBackground: true };
      const needed = NEEDED[row.kind];
      if (!scope.permissions.has(needed)) throw requestErrors.permission_lost(needed);
      const source = openSource(row);
      for await (const part of inParts(source.items(scope, row.taken_count))) {
        signal.throwIfAborted();
        row = await ports.withinStorage(scope, part.bytes, () => take(row, part, source));
      }
      const done = row;
      await end(task, done, 'COMPLETED', summaryOf(done), (tx) =>
        recordChange(audit, tx, whoIs(scope), 'dataset.import', done.dataset_id, {
          kind: done.kind,
          records: String(done.imported_count),
        }),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Gone) return;
      if (!(error instanceof ApiError && error.status < 500)) {
        if (task.attempt < ATTEMPTS_MAX || storageProblemOf(error)) throw error;
        log.error({ err: error, import: row.id }, 'an import was given up');
      }
      const message = error instanceof ApiError ? error.message : 'The import failed. Report its id to the operator.';
      await end(task, row, 'FAILED', message);
    }
  }

  function openSource({ kind, request }: ImportRow): Source {
    const asked = JSON.parse(request);
    switch (kind) {
      case 'file':
        return fromFile(ports, asked);
      case 'dataset':
        return fromDataset(database, asked);
      case 'playground':
        return fromPlayground(ports, asked);
      case 'spans':
        return fromSpans(ports, asked);
    }
  }

  /** One transaction per part: its records and how far the import is are written together. */
  async function take(row: ImportRow, part: Part, source: Source): Promise<ImportRow> {
    const { records, skipped } = part;
    const updated_at = isoMicros(now);
    const next: ImportRow = {
      ...row,
      taken_count: row.taken_count + records.length + skipped.length,
      imported_count: row.imported_count + records.length,
      skipped_count: row.skipped_count + skipped.length,
      message: row.message ?? skipped[0] ?? null,
      updated_at,
    };
    next.progress = Math.max(row.progress, source.progress(next.taken_count));
    const { workspace_id, dataset_id } = row;
    await database.transaction(async (tx) => {
      const { taken_count, imported_count, skipped_count, message, progress } = next;
      const change = { taken_count, imported_count, skipped_count, message, progress, updated_at };
      if (!(await updateImport(tx, row, change))) throw new Gone();
      if (records.length === 0) return;
      const first = await takePositions(tx, workspace_id, dataset_id, {
        count: records.length,
        recordsMax,
        updated_at,
      });
      if (first === undefined) {
        const isThere = await findDataset(tx, workspace_id, dataset_id);
        throw isThere ? datasetErrors.dataset_full(recordsMax) : new Gone();
      }
      const place = { workspace_id, dataset_id, created_at: updated_at, updated_at };
      await write(
        tx,
        records.map((record, at) => ({ id: uuidv7(now()), ...place, position: first + at, ...record })),
      );
    });
    return next;
  }

  async function end(
    task: RunningTask,
    row: ImportRow,
    status: 'COMPLETED' | 'FAILED',
    message: string | null,
    also?: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    const progress = status === 'COMPLETED' ? 100 : row.progress;
    await database.transaction(async (tx) => {
      await task.complete(tx);
      const change = { status, message, progress, request: '{}', updated_at: isoMicros(now) };
      if (await updateImport(tx, row, change)) await also?.(tx);
    });
  }

  async function onQuarantine(tx: Tx, { payload }: QuarantinedTask): Promise<void> {
    const { import_id, dataset_id, caller } = payload as ImportTask;
    const row = await findImport(tx, { workspaceId: caller.workspace_id, datasetId: dataset_id }, import_id);
    const change = { status: 'FAILED', message: DIED_WITH_IT, request: '{}', updated_at: isoMicros(now) } as const;
    if (row) await updateImport(tx, row, change);
  }

  return createTaskRunner({
    database,
    now,
    log,
    queues: {
      [IMPORT_QUEUE]: {
        onQuarantine,
        handler: (task, { signal }) => run(task, signal),
        concurrency: CONCURRENCY,
        turns: TURNS,
        leaseMs: LEASE_MS,
      },
      [CLEANUP_QUEUE]: { concurrency: 1, handler: ({ payload }) => runCleanup(database, payload) },
    },
  });
}

async function* inParts(items: AsyncGenerator<Item>): AsyncGenerator<Part> {
  let part: Part = { records: [], skipped: [], bytes: 0 };
  for await (const item of items) {
    const record = toNewRecord(item);
    if ('skipped' in record) part.skipped.push(record.skipped);
    else {
      part.records.push(record);
      part.bytes += record.payload.length + record.properties.length;
    }
    if (part.records.length + part.skipped.length < ITEMS_AT_ONCE && part.bytes < BYTES_AT_ONCE) continue;
    yield part;
    part = { records: [], skipped: [], bytes: 0 };
  }
  if (part.records.length + part.skipped.length > 0) yield part;
}

function toNewRecord(item: Item): NewRecord | { skipped: string } {
  if ('skipped' in item) return item;
  const payload = JSON.stringify(item.payload);
  const properties = JSON.stringify(item.properties);
  if (Buffer.byteLength(payload) + Buffer.byteLength(properties) > RECORD_BYTES_MAX)
    return { skipped: 'A record has more than 1 MiB as JSON.' };
  return { payload, properties, source: item.source };
}

function summaryOf({ skipped_count, taken_count, message }: ImportRow): string | null {
  return skipped_count === 0 ? null : `${skipped_count} of ${taken_count} were skipped. The first: ${message}`;
}
