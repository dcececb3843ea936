import type { JudgeConversationRequest, JudgeOutput, JudgeService } from '../../judges/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { type Database, readGroups } from '../../kit/db/index.ts';
import { numberedPage, offsetOf, type Scope, type StreamedJson, streamedWithin } from '../../kit/http/index.ts';
import type { Call } from '../../metering/index.ts';
import { datasetErrors } from '../errors.ts';
import type { DatasetPorts } from '../ports.ts';
import { recordChange, whoIs } from '../record-change.ts';
import {
  type CreateDatasetRecordRequest,
  type DatasetRecord,
  type PageQuery,
  RECORD_BYTES_MAX,
  RECORDS_MAX,
} from '../schema.ts';
import { findDataset, subtractRecords, takePositions } from '../store/datasets.ts';
import { deleteRecords, findRecord, listRecordsById, listSizes, recordWriter, updateRecord } from '../store/records.ts';
import type { DatasetRow, RecordRow } from '../store/tables.ts';
import { datasetFinder } from './datasets.ts';

/** Of one look ahead when all records are read. */
const SIZES_AT_ONCE = 256;

type Change = { payload?: object; properties?: object };
type Page = { count: number; next: string | null; previous: string | null; results: DatasetRecord[] };

export type RecordsPart = {
  /** In the order in which they were added; written while they are read. */
  list(scope: Scope, idOrSlug: string, query: PageQuery): Promise<StreamedJson<{ records: Page }>>;
  create(scope: Scope, idOrSlug: string, request: CreateDatasetRecordRequest): Promise<DatasetRecord>;
  get(scope: Scope, id: string): Promise<DatasetRecord>;
  update(scope: Scope, id: string, change: Change): Promise<undefined>;
  remove(scope: Scope, id: string): Promise<undefined>;
  /** Ids that are missing are passed over. */
  removeAll(scope: Scope, ids: string[]): Promise<undefined>;
  judge(call: Call, id: string, definition: Parameters<JudgeService['judge']>[1]): Promise<JudgeOutput>;
  count(scope: Scope, idOrSlug: string): Promise<number>;
  /** All records after a position, in groups: for work that is interrupted and goes on later. */
  read(scope: Scope, idOrSlug: string, after?: number): AsyncGenerator<PlacedRecord[]>;
};

export type PlacedRecord = DatasetRecord & { position: number };

export function createRecordsPart(ports: DatasetPorts): RecordsPart {
  const { database, audit, judges, now, recordsMax = RECORDS_MAX } = ports;
  const { db } = database;
  const find = datasetFinder(ports);
  const write = recordWriter(database.kind);

  async function findOne(scope: Scope, id: string): Promise<RecordRow> {
    const row = await findRecord(db, scope.workspace_id, id);
    if (!row) throw datasetErrors.dataset_record_not_found(id);
    return row;
  }

  async function removeAll(scope: Scope, ids: string[]): Promise<number> {
    const { workspace_id } = scope;
    return database.transaction(async (tx) => {
      const deleted = await deleteRecords(tx, workspace_id, ids);
      for (const [id, { length }] of groupsOf(deleted)) {
        await subtractRecords(tx, workspace_id, id, length, isoMicros(now));
        await recordChange(audit, tx, whoIs(scope), 'dataset.record.delete', id, { records: String(length) });
      }
      return deleted.length;
    });
  }

  return {
    async list(scope, idOrSlug, query) {
      const dataset = await find(scope, idOrSlug);
      const path = `/v1/observability/datasets/${dataset.id}/records`;
      const { results: _, ...around } = numberedPage(path, query, [], dataset.record_count);
      const sizes = await listSizes(database, dataset.id, offsetOf(query));
      const groups = readGroups(sizes, async (group) => {
        const ids = group.map(({ id }) => id);
        return (await listRecordsById(db, dataset.workspace_id, ids)).map(toRecord);
      });
      return streamedWithin('records', around, 'results', groups);
    },
    async create(scope, idOrSlug, { payload, properties, source }) {
      const dataset = await find(scope, idOrSlug);
      const created_at = isoMicros(now);
      const place = { workspace_id: dataset.workspace_id, dataset_id: dataset.id };
      const texts = toTexts({ payload, properties });
      const row = { id: uuidv7(now()), ...place, ...texts, source, created_at, updated_at: created_at };
      await database.transaction(async (tx) => {
        const taken = { count: 1, recordsMax, updated_at: created_at };
        const position = await takePositions(tx, dataset.workspace_id, dataset.id, taken);
        if (position === undefined) {
          const isThere = await findDataset(tx, dataset.workspace_id, dataset.id);
          throw isThere ? datasetErrors.dataset_full(recordsMax) : datasetErrors.dataset_not_found(idOrSlug);
        }
        await write(tx, [{ ...row, position }]);
        await recordChange(audit, tx, whoIs(scope), 'dataset.record.create', dataset.id, { record: row.id });
      });
      return toRecord({ ...row, position: 0 });
    },
    get: async (scope, id) => toRecord(await findOne(scope, id)),
    async update(scope, id, change) {
      const row = await findOne(scope, id);
      const { payload = JSON.parse(row.payload), properties = JSON.parse(row.properties) } = change;
      const texts = toTexts({ payload, properties });
      await database.transaction(async (tx) => {
        await updateRecord(tx, row.workspace_id, id, { ...texts, updated_at: isoMicros(now) });
        await recordChange(audit, tx, whoIs(scope), 'dataset.record.update', row.dataset_id, { record: id });
      });
    },
    async remove(scope, id) {
      await findOne(scope, id);
      if ((await removeAll(scope, [id])) === 0) throw datasetErrors.dataset_record_not_found(id);
    },
    async removeAll(scope, ids) {
      await removeAll(scope, ids);
    },
    async judge(call, id, definition) {
      judges.check(definition, ['body', 'judge_definition']);
      const record = toRecord(await findOne(call.scope, id));
      const { analysis, answer } = await judges.judge(call, definition, conversationOf(record));
      return { analysis, answer };
    },
    count: async (scope, idOrSlug) => (await find(scope, idOrSlug)).record_count,
    async *read(scope, idOrSlug, after) {
      yield* readAll(database, await find(scope, idOrSlug), after);
    },
  };
}

/** What a judge gets of a record: its messages, and beside them all else that is known of it. */
export function conversationOf({
  payload,
  properties,
}: Pick<DatasetRecord, 'payload' | 'properties'>): JudgeConversationRequest {
  const { messages, ...rest } = payload;
  const isConversation = Array.isArray(messages) && messages.length > 0 && messages.every(isObject);
  if (!isConversation) return { messages: [payload], properties };
  return { messages: messages as Record<string, unknown>[], properties: { ...rest, ...properties } };
}

/** All records of a dataset after a position, in groups that fit in memory. */
export async function* readAll(
  database: Database,
  { id, workspace_id }: Pick<DatasetRow, 'id' | 'workspace_id'>,
  after = -1,
): AsyncGenerator<PlacedRecord[]> {
  for (let last = after; ; ) {
    const sizes = await listSizes(database, id, { after: last, limit: SIZES_AT_ONCE });
    yield* readGroups(sizes, async (group) => {
      const ids = group.map((one) => one.id);
      const rows = await listRecordsById(database.db, workspace_id, ids);
      return rows.map((row) => ({ ...toRecord(row), position: Number(row.position) }));
    });
    if (sizes.length < SIZES_AT_ONCE) return;
    last = sizes.at(-1)?.position ?? last;
  }
}

/** Both as text, within what a record may have. */
export function toTexts({ payload, properties }: { payload: object; properties: object }) {
  const texts = { payload: JSON.stringify(payload), properties: JSON.stringify(properties) };
  if (Buffer.byteLength(texts.payload) + Buffer.byteLength(texts.properties) > RECORD_BYTES_MAX)
    throw datasetErrors.dataset_record_too_large();
  return texts;
}

function toRecord({ id, created_at, updated_at, dataset_id, payload, properties, source }: RecordRow): DatasetRecord {
  return {
    ...{ id, created_at, updated_at, deleted_at: null, dataset_id },
    payload: JSON.parse(payload),
    properties: JSON.parse(properties),
    source,
  };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

function groupsOf(ids: string[]): Map<string, string[]> {
  return Map.groupBy(ids, (id) => id);
}
