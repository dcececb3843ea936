import type { AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { retrievalErrors } from '../errors.ts';
import { recordChange } from '../record-change.ts';
import type {
  DeploymentSummary,
  Pipeline,
  RegisterDeployment,
  RegisterPipeline,
  UpdateMetrics,
  UpdateRunInfo,
} from '../schema/rag.ts';
import {
  countRegistered,
  type DeploymentRow,
  deleteDeployment,
  listDeployments,
  listPipelines,
  lockDeployment,
  lockPipeline,
  type PipelineRow,
  writeDeployment,
  writePipeline,
} from '../store/rag.ts';

/** Of each kind in a workspace: lists have no pages. */
const REGISTERED_MAX = 100;
const NAMES = { rag_deployments: 'deployments', rag_pipelines: 'ingestion pipelines' };

/** What a workspace registers of its own search deployments and ingestion pipelines: descriptions, no data. */
export type RagService = {
  listDeployments(scope: Scope): Promise<DeploymentSummary[]>;
  /** Replaces one of the same name. */
  registerDeployment(scope: Scope, request: RegisterDeployment): Promise<{ id: string }>;
  unregisterDeployment(scope: Scope, id: string): Promise<Record<string, never>>;
  updateMetrics(scope: Scope, id: string, metrics: UpdateMetrics): Promise<DeploymentSummary>;
  listPipelines(scope: Scope): Promise<Pipeline[]>;
  registerPipeline(scope: Scope, request: RegisterPipeline): Promise<Pipeline>;
  recordRun(scope: Scope, id: string, run: UpdateRunInfo): Promise<Pipeline>;
};

export type RagPorts = { database: Database; audit: AuditService; now: Clock };

export function createRagService({ database, audit, now }: RagPorts): RagService {
  const { db, kind } = database;

  return {
    async listDeployments({ workspace_id }) {
      const summaries: DeploymentSummary[] = [];
      for await (const rows of listDeployments(database, workspace_id)) summaries.push(...rows.map(toSummary));
      return summaries;
    },
    registerDeployment: (scope, { name, status, deployment }) =>
      database.transaction(async (tx) => {
        const { workspace_id, user_id } = scope;
        const old = await lockDeployment(tx, kind, workspace_id, 'name', name);
        if (!old) await assertRoom(tx, 'rag_deployments', workspace_id);
        const known = new Map(old?.deployment.indexes.map((index) => [index.name, index]));
        const indexes = deployment.indexes.map((index) => ({
          ...index,
          id: known.get(index.name)?.id ?? uuidv7(now()),
          document_count: known.get(index.name)?.document_count ?? null,
        }));
        const modified_at = isoMicros(now);
        const row: DeploymentRow = {
          id: old?.id ?? uuidv7(now()),
          workspace_id,
          name,
          creator_id: old?.creator_id ?? user_id,
          status,
          document_count: old?.document_count ?? 0,
          deployment: { ...deployment, indexes },
          created_at: old?.created_at ?? modified_at,
          modified_at,
        };
        const id = await writeDeployment(tx, row);
        await recordChange(audit, tx, scope, 'rag_deployment.register', id);
        return { id };
      }),
    unregisterDeployment: (scope, id) =>
      database.transaction(async (tx) => {
        if (!(await deleteDeployment(tx, scope.workspace_id, id))) throw retrievalErrors.deployment_not_registered(id);
        await recordChange(audit, tx, scope, 'rag_deployment.unregister', id);
        return {};
      }),
    updateMetrics: ({ workspace_id }, id, metrics) =>
      database.transaction(async (tx) => {
        const row = await lockDeployment(tx, kind, workspace_id, 'id', id);
        if (!row) throw retrievalErrors.deployment_not_registered(id);
        const changed = { ...applyMetrics(row, metrics), modified_at: isoMicros(now) };
        await writeDeployment(tx, changed);
        return toSummary(changed);
      }),
    listPipelines: async ({ workspace_id }) => (await listPipelines(db, workspace_id)).map(toPipeline),
    registerPipeline: (scope, request) =>
      database.transaction(async (tx) => {
        const { workspace_id, user_id } = scope;
        const old = await lockPipeline(tx, kind, workspace_id, 'name', request.name);
        if (!old) await assertRoom(tx, 'rag_pipelines', workspace_id);
        const modified_at = isoMicros(now);
        const row: PipelineRow = {
          id: old?.id ?? uuidv7(now()),
          workspace_id,
          name: request.name,
          author_id: old?.author_id ?? user_id,
          pipeline_composition: request.pipeline_composition ?? null,
          target_indexes: request.target_indexes ?? null,
          last_run_time: old?.last_run_time ?? null,
          last_run_chunks_count: old?.last_run_chunks_count ?? 0,
          total_chunks_count: old?.total_chunks_count ?? 0,
          created_at: old?.created_at ?? modified_at,
          modified_at,
        };
        const written = await writePipeline(tx, row);
        await recordChange(audit, tx, scope, 'rag_pipeline.register', written.id);
        return toPipeline(written);
      }),
    recordRun: ({ workspace_id }, id, { execution_time, chunks_count }) =>
      database.transaction(async (tx) => {
        const row = await lockPipeline(tx, kind, workspace_id, 'id', id);
        if (!row) throw retrievalErrors.pipeline_not_registered(id);
        const changed: PipelineRow = {
          ...row,
          last_run_time: execution_time,
          last_run_chunks_count: chunks_count,
          total_chunks_count: row.total_chunks_count + chunks_count,
          modified_at: isoMicros(now),
        };
        return toPipeline(await writePipeline(tx, changed));
      }),
  };
}

async function assertRoom(tx: Tx, table: keyof typeof NAMES, workspaceId: string): Promise<void> {
  if ((await countRegistered(tx, table, workspaceId)) >= REGISTERED_MAX)
    throw retrievalErrors.too_many_registrations(NAMES[table], REGISTERED_MAX);
}

function applyMetrics(row: DeploymentRow, metrics: UpdateMetrics): DeploymentRow {
  const { deployment } = row;
  if (metrics.status === 'offline') {
    if (!metrics.clear_metrics) return { ...row, status: 'offline' };
    const indexes = deployment.indexes.map((index) => ({ ...index, document_count: null }));
    return { ...row, status: 'offline', document_count: 0, deployment: { ...deployment, indexes } };
  }
  const counts = new Map(metrics.index_metrics.map(({ name, document_count }) => [name, document_count]));
  const indexes = deployment.indexes.map((index) => ({
    ...index,
    document_count: counts.get(index.name) ?? index.document_count,
  }));
  return { ...row, status: 'online', document_count: metrics.document_count, deployment: { ...deployment, indexes } };
}

function toSummary({ workspace_id: _workspace, deployment, ...row }: DeploymentRow): DeploymentSummary {
  const indexes = deployment.indexes.map(({ id, name, document_count }) => ({ id, name, document_count }));
  return { ...row, deployment: { type: 'vespa', indexes } };
}

function toPipeline({ workspace_id: _workspace, target_indexes: _targets, ...row }: PipelineRow): Pipeline {
  return row;
}
