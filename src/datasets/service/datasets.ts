import { randomBytes } from 'node:crypto';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { slugOf } from '../../kit/base/slug.ts';
import { findCandidates, isUniqueViolation } from '../../kit/db/index.ts';
import { numberedPage, offsetOf, type Scope } from '../../kit/http/index.ts';
import { datasetErrors } from '../errors.ts';
import { cleanupTask } from '../import/cleanup-task.ts';
import type { DatasetPorts } from '../ports.ts';
import { recordChange, whoIs } from '../record-change.ts';
import type {
  CreateDatasetRequest,
  Dataset,
  DatasetsQuery,
  ListDatasetsResponse,
  UpdateDatasetRequest,
} from '../schema.ts';
import {
  countDatasets,
  deleteDataset,
  findDataset,
  insertDataset,
  listDatasets,
  listSlugs,
  looksLikeId,
  searchedDatasets,
  updateDataset,
} from '../store/datasets.ts';
import { deleteImports } from '../store/imports.ts';
import type { DatasetRow } from '../store/tables.ts';

const SECRET_BYTES = 32;
const SLUG_CHARACTERS_MAX = 60;
/** Datasets of the same name in one workspace that have readable slugs. */
const SLUG_NUMBERS_MAX = 100;
const SLUG_TRIES = 5;

export type DatasetsPart = {
  list(scope: Scope, query: DatasetsQuery): Promise<ListDatasetsResponse>;
  create(scope: Scope, request: CreateDatasetRequest): Promise<Dataset>;
  get(scope: Scope, idOrSlug: string): Promise<Dataset>;
  update(scope: Scope, idOrSlug: string, request: UpdateDatasetRequest): Promise<Dataset>;
  remove(scope: Scope, idOrSlug: string): Promise<undefined>;
};

export type FindDataset = (scope: Scope, idOrSlug: string) => Promise<DatasetRow>;

export function datasetFinder({ database }: Pick<DatasetPorts, 'database'>): FindDataset {
  return async ({ workspace_id }, idOrSlug) => {
    const row = await findDataset(database.db, workspace_id, idOrSlug);
    if (!row) throw datasetErrors.dataset_not_found(idOrSlug);
    return row;
  };
}

export function createDatasetsPart(ports: DatasetPorts): DatasetsPart {
  const { database, audit, tasks, now } = ports;
  const { db } = database;
  const find = datasetFinder(ports);

  /** The slug is taken when the dataset is inserted; whoever loses a race takes the next one, and in the end one of its own. */
  async function insertWithSlug(scope: Scope, row: Omit<DatasetRow, 'slug'>): Promise<DatasetRow> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await database.transaction(async (tx) => {
          const candidates = slugsOf(row.name);
          const taken = await listSlugs(tx, row.workspace_id, candidates);
          const free = attempt < SLUG_TRIES ? candidates.find((one) => !taken.has(one)) : undefined;
          const slug = free ?? `${candidates[0]}-${row.id}`;
          await insertDataset(tx, { ...row, slug });
          await recordChange(audit, tx, whoIs(scope), 'dataset.create', row.id);
          return { ...row, slug };
        });
      } catch (error) {
        if (attempt === SLUG_TRIES || !isUniqueViolation(error)) throw error;
      }
    }
  }

  return {
    async list({ workspace_id }, query) {
      const search = query.q?.toLowerCase() || undefined;
      const found = { search, among: await findCandidates(database, searchedDatasets(workspace_id), search) };
      const page = offsetOf(query);
      const rows = await listDatasets(db, workspace_id, found, page);
      const count = await countDatasets(db, workspace_id, found, page.offset + page.limit);
      return { datasets: numberedPage('/v1/observability/datasets', query, rows.map(toDataset), count) };
    },
    async create(scope, { name, description }) {
      const created_at = isoMicros(now);
      const row = await insertWithSlug(scope, {
        id: uuidv7(now()),
        workspace_id: scope.workspace_id,
        owner_id: scope.user_id,
        ...worded(name, description),
        url_secret: randomBytes(SECRET_BYTES).toString('base64url'),
        record_count: 0,
        next_position: 0,
        created_at,
        updated_at: created_at,
      });
      return toDataset(row);
    },
    get: async (scope, idOrSlug) => toDataset(await find(scope, idOrSlug)),
    async update(scope, idOrSlug, { name, description }) {
      const row = await find(scope, idOrSlug);
      const words = worded(name ?? row.name, description ?? row.description);
      const updated = await database.transaction(async (tx) => {
        const change = { ...words, updated_at: isoMicros(now) };
        const done = await updateDataset(tx, row.workspace_id, row.id, change);
        if (done) await recordChange(audit, tx, whoIs(scope), 'dataset.update', row.id);
        return done;
      });
      if (!updated) throw datasetErrors.dataset_not_found(idOrSlug);
      return toDataset(updated);
    },
    async remove(scope, idOrSlug) {
      const row = await find(scope, idOrSlug);
      const isDeleted = await database.transaction(async (tx) => {
        if (!(await deleteDataset(tx, row.workspace_id, row.id))) return false;
        await deleteImports(tx, row.id);
        await tasks.enqueue(tx, cleanupTask(row.id));
        await recordChange(audit, tx, whoIs(scope), 'dataset.delete', row.id);
        return true;
      });
      if (!isDeleted) throw datasetErrors.dataset_not_found(idOrSlug);
    },
  };
}

const worded = (name: string, description: string) => ({
  name,
  description,
  folded: `${name}\n${description}`.toLowerCase(),
});

/** The slug of a name, then the same with numbers. It stays when the dataset is renamed, so that addresses do. */
function slugsOf(name: string): string[] {
  const words = slugOf(name, SLUG_CHARACTERS_MAX);
  const slug = words === '' || looksLikeId(words) ? `dataset${words && '-'}${words}` : words;
  return Array.from({ length: SLUG_NUMBERS_MAX }, (_, at) => (at === 0 ? slug : `${slug}-${at + 1}`));
}

function toDataset(row: DatasetRow): Dataset {
  const { id, created_at, updated_at, name, slug, description, owner_id, workspace_id } = row;
  return { id, created_at, updated_at, deleted_at: null, name, slug, description, owner_id, workspace_id };
}
