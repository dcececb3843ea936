import type { ColumnType, Selectable } from 'kysely';
import {
  type Database,
  type Db,
  isBeyond,
  prepare,
  storedBytes,
  type Tables,
  type Tx,
  takePage,
} from '../../kit/db/index.ts';
import type { WorkflowCodeDefinition } from '../schema/definitions.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    /** One definition of one workflow in one deployment. Immutable: a changed definition is another row. */
    workflow_registrations: {
      id: string;
      workspace_id: string;
      workflow_id: string;
      deployment_id: string;
      definition: ColumnType<WorkflowCodeDefinition, string, never>;
      search_keys: ColumnType<string[], string, never>;
      digest: string;
      created_at: string;
      /** The SDK of its workers; they encode payloads differently. */
      sdk: WorkerSdk;
    };
    /** The registrations that each worker serves. */
    workflow_worker_registrations: { registration_id: string; deployment_id: string; worker_name: string };
  }
}

export type WorkerSdk = 'tramontane' | 'mistralai';

export type RegistrationRow = Selectable<Tables['workflow_registrations']> & { deployment_name: string };
export type NewRegistration = Selectable<Tables['workflow_registrations']>;

const registrations = (db: Db, workspaceId: string) =>
  db
    .selectFrom('workflow_registrations')
    .innerJoin('workflow_deployments', 'workflow_deployments.id', 'workflow_registrations.deployment_id')
    .selectAll('workflow_registrations')
    .select('workflow_deployments.name as deployment_name')
    .where('workflow_registrations.workspace_id', '=', workspaceId);

export function findRegistration(db: Db, workspaceId: string, id: string): Promise<RegistrationRow | undefined> {
  return registrations(db, workspaceId).where('workflow_registrations.id', '=', id).executeTakeFirst();
}

/** Inserts the registration if its content is new. */
export async function upsertRegistration(tx: Tx, row: NewRegistration): Promise<string> {
  const { id } = await tx
    .insertInto('workflow_registrations')
    .values({ ...row, definition: JSON.stringify(row.definition), search_keys: JSON.stringify(row.search_keys) })
    .onConflict((conflict) =>
      conflict.columns(['workflow_id', 'deployment_id', 'digest']).doUpdateSet({ digest: row.digest }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Replaces the registrations that a worker serves. */
export async function replaceServed(
  tx: Tx,
  worker: { deployment_id: string; worker_name: string },
  registrationIds: string[],
): Promise<void> {
  await tx
    .deleteFrom('workflow_worker_registrations')
    .where('deployment_id', '=', worker.deployment_id)
    .where('worker_name', '=', worker.worker_name)
    .execute();
  if (registrationIds.length === 0) return;
  await tx
    .insertInto('workflow_worker_registrations')
    .values(registrationIds.map((registration_id) => ({ ...worker, registration_id })))
    .execute();
}

export type ActiveRegistration = { id: string; deployment_name: string; created_at: string };

/** The active registrations of a workflow, newest first. Prepared, because every start needs it. */
export function prepareActive(db: Db) {
  return prepare((workspaceId: string, workflowId: string, aliveSinceMs: number) =>
    db
      .selectFrom('workflow_registrations as r')
      .innerJoin('workflow_deployments as d', 'd.id', 'r.deployment_id')
      .select(['r.id', 'd.name as deployment_name', 'r.created_at'])
      .where('r.workspace_id', '=', workspaceId)
      .where('r.workflow_id', '=', workflowId)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('workflow_worker_registrations as s')
            .innerJoin('workflow_workers as w', (join) =>
              join.onRef('w.deployment_id', '=', 's.deployment_id').onRef('w.name', '=', 's.worker_name'),
            )
            .select('s.registration_id')
            .whereRef('s.registration_id', '=', 'r.id')
            .where('w.seen_ms', '>', aliveSinceMs),
        ),
      )
      .orderBy('r.created_at', 'desc')
      .orderBy('r.id', 'desc'),
  );
}

/** The active registrations of a workspace and their workflows. */
export function listActive(
  db: Db,
  workspaceId: string,
  aliveSinceMs: number,
): Promise<{ registration_id: string; workflow_id: string; deployment_id: string; deployment_name: string }[]> {
  return db
    .selectFrom('workflow_workers as w')
    .innerJoin('workflow_worker_registrations as s', (join) =>
      join.onRef('w.deployment_id', '=', 's.deployment_id').onRef('w.name', '=', 's.worker_name'),
    )
    .innerJoin('workflow_registrations as r', 'r.id', 's.registration_id')
    .innerJoin('workflow_deployments as d', 'd.id', 'r.deployment_id')
    .select(['r.id as registration_id', 'r.workflow_id', 'r.deployment_id', 'd.name as deployment_name'])
    .distinct()
    .where('r.workspace_id', '=', workspaceId)
    .where('w.seen_ms', '>', aliveSinceMs)
    .execute();
}

export async function listWorkflowsOfDeployments(db: Db, workspaceId: string, names: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('workflow_registrations as r')
    .innerJoin('workflow_deployments as d', 'd.id', 'r.deployment_id')
    .select('r.workflow_id')
    .distinct()
    .where('r.workspace_id', '=', workspaceId)
    .where('d.name', 'in', names)
    .execute();
  return rows.map(({ workflow_id }) => workflow_id);
}

export async function listServed(db: Db, deploymentId: string, workerName: string): Promise<string[]> {
  const rows = await db
    .selectFrom('workflow_worker_registrations')
    .select('registration_id')
    .where('deployment_id', '=', deploymentId)
    .where('worker_name', '=', workerName)
    .execute();
  return rows.map(({ registration_id }) => registration_id);
}

/** A response shows each definition twice, under its new and its old name. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;

export type RegistrationFilter = {
  workflowIds?: string[] | undefined;
  ids?: string[] | undefined;
  deploymentName?: string | undefined;
  archived?: boolean | undefined;
  availableInChatAssistant?: boolean | undefined;
  after?: { created_at: string; id: string } | undefined;
  limit: number;
};

/** Sorted newest first. */
export async function listRegistrations(
  db: Db,
  workspaceId: string,
  filter: RegistrationFilter,
): Promise<RegistrationRow[]> {
  if (filter.ids?.length === 0 || filter.workflowIds?.length === 0) return [];
  return filtered(db, workspaceId, filter).execute();
}

/** A page ends early when its definitions are large; `hasMore` says whether another follows. */
export async function listRegistrationPage(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  workspaceId: string,
  filter: RegistrationFilter,
): Promise<{ rows: RegistrationRow[]; hasMore: boolean }> {
  if (filter.ids?.length === 0 || filter.workflowIds?.length === 0) return { rows: [], hasMore: false };
  const found = await filtered(db, workspaceId, { ...filter, limit: filter.limit + 1 })
    .clearSelect()
    .select(storedBytes(kind, 'workflow_registrations.definition').as('bytes'))
    .execute();
  const limit = takePage(found.slice(0, filter.limit), PAGE_BYTES_MAX).length;
  const rows = limit === 0 ? [] : await filtered(db, workspaceId, { ...filter, limit }).execute();
  return { rows, hasMore: found.length > limit };
}

function filtered(db: Db, workspaceId: string, filter: RegistrationFilter) {
  const { after } = filter;
  let query = registrations(db, workspaceId);
  if (filter.archived !== undefined || filter.availableInChatAssistant !== undefined)
    query = query.where((eb) => {
      let workflow = eb
        .selectFrom('workflows')
        .select('workflows.id')
        .whereRef('workflows.id', '=', 'workflow_registrations.workflow_id');
      if (filter.archived !== undefined) workflow = workflow.where('archived', '=', filter.archived);
      if (filter.availableInChatAssistant !== undefined)
        workflow = workflow.where('available_in_chat_assistant', '=', filter.availableInChatAssistant);
      return eb.exists(workflow);
    });
  if (filter.workflowIds) query = query.where('workflow_registrations.workflow_id', 'in', filter.workflowIds);
  if (filter.ids) query = query.where('workflow_registrations.id', 'in', filter.ids);
  if (filter.deploymentName !== undefined) query = query.where('workflow_deployments.name', '=', filter.deploymentName);
  if (after)
    query = query.where(
      isBeyond(
        'desc',
        ['workflow_registrations.created_at', 'workflow_registrations.id'],
        [after.created_at, after.id],
      ),
    );
  return query
    .orderBy('workflow_registrations.created_at', 'desc')
    .orderBy('workflow_registrations.id', 'desc')
    .limit(filter.limit);
}
