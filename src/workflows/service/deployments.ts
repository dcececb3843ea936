import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { PageTokens, Scope } from '../../kit/http/index.ts';
import { aliveSince } from '../alive-since.ts';
import { parseCursor, workflowErrors } from '../errors.ts';
import type {
  DeploymentDetailResponse,
  DeploymentListResponse,
  DeploymentResponse,
  DeploymentsQuery,
  DeploymentWorkerListResponse,
  DeploymentWorkerResponse,
  DeploymentWorkersQuery,
} from '../schema/deployments.ts';
import {
  type DeploymentFilter,
  type DeploymentRow,
  findDeployment,
  listDeployments,
  listWorkers,
  type WorkerRow,
} from '../store/deployments.ts';
import { listActive } from '../store/registrations.ts';
import { findWorkflow } from '../store/workflows.ts';

/** Of a page whose length was not asked for; the rest follows by its cursor. */
const LIMIT_DEFAULT = 1000;

export type DeploymentService = {
  list(scope: Scope, query: DeploymentsQuery): Promise<DeploymentListResponse>;
  get(scope: Scope, name: string, workflowName: string | undefined): Promise<DeploymentDetailResponse>;
  workers(scope: Scope, name: string, query: DeploymentWorkersQuery): Promise<DeploymentWorkerListResponse>;
  /** Deployments from repositories are not supported; throws. */
  refuseManaged(): never;
  refuseManagedOf(scope: Scope, name: string): Promise<never>;
};

export function createDeployments(deps: { database: Database; tokens: PageTokens; now: Clock }): DeploymentService {
  const { database, tokens, now } = deps;
  const { db } = database;

  async function mustFind(scope: Scope, name: string): Promise<DeploymentRow> {
    const row = await findDeployment(db, scope.workspace_id, name);
    if (!row) throw workflowErrors.deployment_not_found(name);
    return row;
  }

  const isAlive = ({ seen_ms }: WorkerRow) => seen_ms > aliveSince(now);

  function showWorker(row: WorkerRow): DeploymentWorkerResponse {
    const { name, created_at, updated_at, location } = row;
    return { name, created_at, last_heartbeat: updated_at, updated_at, is_active: isAlive(row), location };
  }

  function show(row: DeploymentRow, workers: WorkerRow[], isActive = workers.some(isAlive)): DeploymentResponse {
    const located = workers.flatMap(({ location }) => location ?? []);
    return {
      id: row.id,
      name: row.name,
      is_active: isActive,
      is_hardened: false,
      created_at: row.created_at,
      last_heartbeat: row.updated_at,
      updated_at: row.updated_at,
      location: located[0] ?? null,
      worker_count: workers.length,
      active_worker_count: workers.filter(isAlive).length,
      locations: [...new Set(located.map(({ location_type }) => location_type))],
      managed: null,
    };
  }

  /** The filters on workers and workflows; undefined where nothing can fit. */
  async function narrow(
    scope: Scope,
    query: DeploymentsQuery,
  ): Promise<Pick<DeploymentFilter, 'workflowId' | 'seenSince'> | undefined> {
    const isElsewhere = query.workspace_id !== undefined && query.workspace_id !== scope.workspace_id;
    if (isElsewhere || query.is_hardened) return undefined;
    const seenSince = query.active_only ? aliveSince(now) : undefined;
    if (query.workflow_name === undefined) return { seenSince };
    const workflow = await findWorkflow(db, scope.workspace_id, query.workflow_name);
    return workflow && { workflowId: workflow.id, seenSince };
  }

  return {
    async list(scope, query) {
      const { cursor, limit = LIMIT_DEFAULT, order, ...filters } = query;
      const orderBy = query.order_by ?? 'created_at';
      const question = ['deployments', scope.workspace_id, JSON.stringify({ order, ...filters })];
      const after = parseCursor(tokens, question, cursor) as { at: string; id: string } | undefined;
      const narrowed = await narrow(scope, query);
      const filter = { ...narrowed, prefix: query.search, orderBy, order, after, limit: limit + 1 };
      const rows = narrowed ? await listDeployments(db, scope.workspace_id, filter) : [];
      const page = rows.slice(0, limit);
      const workers =
        page.length === 0
          ? []
          : await listWorkers(
              db,
              page.map(({ id }) => id),
            );
      const last = page.at(-1);
      const next = rows.length > page.length && last ? { at: last[orderBy], id: last.id } : undefined;
      return {
        deployments: page.map((row) =>
          show(
            row,
            workers.filter(({ deployment_id }) => deployment_id === row.id),
          ),
        ),
        next_cursor: next ? tokens.write(question, next) : null,
        workspace_id: scope.workspace_id,
      };
    },

    async get(scope, name, workflowName) {
      const row = await mustFind(scope, name);
      const workers = await listWorkers(db, [row.id]);
      let isActive = workers.some(isAlive);
      if (workflowName !== undefined) {
        const workflow = await findWorkflow(db, scope.workspace_id, workflowName);
        const active = await listActive(db, scope.workspace_id, aliveSince(now));
        isActive = active.some(
          ({ deployment_id, workflow_id }) => deployment_id === row.id && workflow_id === workflow?.id,
        );
      }
      return { ...show(row, workers, isActive), workers: workers.map(showWorker) };
    },

    async workers(scope, name, { worker_status, limit, cursor }) {
      const row = await mustFind(scope, name);
      const question = ['deployment-workers', row.id, worker_status ?? ''];
      const workers = await listWorkers(db, [row.id], {
        after: parseCursor(tokens, question, cursor) as string | undefined,
        seen: worker_status && { since: aliveSince(now), active: worker_status === 'active' },
        limit: limit + 1,
      });
      const page = workers.slice(0, limit);
      const last = page.at(-1);
      const next_cursor = workers.length > limit && last ? tokens.write(question, last.name) : null;
      return { workers: page.map(showWorker), next_cursor };
    },

    refuseManaged() {
      throw workflowErrors.deployments_not_managed();
    },

    async refuseManagedOf(scope, name) {
      await mustFind(scope, name);
      throw workflowErrors.deployments_not_managed();
    },
  };
}
