import type { AuditActor, AuditService } from '../audit/index.ts';
import { TRAINING_QUEUE } from '../classifiers/index.ts';
import { RUN_QUEUE } from '../conversations/index.ts';
import { IMPORT_QUEUE } from '../datasets/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createLog } from '../kit/base/log.ts';
import type { Database, Tx } from '../kit/db/index.ts';
import { createTasks, type QuarantinedTask } from '../kit/tasks/index.ts';
import type { TenantService } from '../tenants/index.ts';
import {
  openQuarantine as openExecutions,
  type QuarantinedExecution,
  type QuarantinedExecutions,
} from '../workflows/index.ts';

const LISTED_MAX = 1000;
const ID_CHARACTERS_MAX = 64;

/** What executions have in place of the queue of a task. */
const EXECUTIONS = 'executions';

/** Of work that ended when it was set aside, so that a retry would find nothing to do: what its owner does instead. */
const INSTEAD: Record<string, string> = {
  [RUN_QUEUE]: 'Its conversation takes messages again: send the message once more.',
  [IMPORT_QUEUE]: 'Import once more.',
  [TRAINING_QUEUE]: 'Begin another training.',
};

/** Stored work that was running at three deaths of a server. It runs again only when an operator says so. */
export type QuarantinedItem = {
  /** Of the task, or of the run of an execution. */
  id: string;
  queue: string;
  organization_id: string | null;
  /** The ids in it, such as that of a document. */
  about: Record<string, string>;
  deaths: number;
  quarantined_at: string;
  /** Why a retry is refused: it has ended, and this is what its owner does. */
  instead: string | null;
};

type Ports = {
  database: Database;
  audit: AuditService;
  tenants: Pick<TenantService, 'listOrganizations'>;
  executions: QuarantinedExecutions;
};

export type Quarantine = {
  /** Of all workspaces; or of one, which has executions alone. */
  list(workspaceId?: string): Promise<QuarantinedItem[]>;
  count(): Promise<{ queue: string; tasks: number }[]>;
  /** Runs it once more, unless it has ended (`instead`). Undefined when the list has nothing with this id. */
  retry(id: string, actor: AuditActor, workspaceId?: string): Promise<QuarantinedItem | undefined>;
  /** Takes what has ended off the list; all else stays. Undefined when the list has nothing with this id. */
  dismiss(id: string, actor: AuditActor): Promise<QuarantinedItem | undefined>;
  /** Writes what was quarantined since the last call to the audit log. */
  report(): Promise<void>;
};

/** For commands, beside a server that may be running. */
export function openQuarantine(platform: Omit<Ports, 'executions'>): Quarantine {
  const executions = openExecutions({ ...platform, now: systemClock, log: createLog('silent') });
  return createQuarantine({ ...platform, executions });
}

export function createQuarantine({ database, audit, tenants, executions }: Ports): Quarantine {
  const tasks = createTasks({ database, now: systemClock });

  /** Work of the server itself is in the log of the operator's organization. */
  async function openLog(event_type: 'task.quarantine' | 'task.retry' | 'task.dismiss', actor: AuditActor) {
    const ids = (await tenants.listOrganizations()).map(({ id }) => id);
    return async (tx: Tx, { id, queue, organization_id: owner, about }: QuarantinedItem) => {
      const organization_id = ids.find((known) => known === owner) ?? ids[0];
      if (organization_id === undefined) return;
      const target_metadata = { ...about, task_id: id, queue };
      await audit.record(tx, { organization_id, actor, event_type, target_type: 'TASK', target_metadata });
    };
  }

  async function list(workspaceId?: string): Promise<QuarantinedItem[]> {
    const ofServer = workspaceId === undefined ? await tasks.listQuarantined(database.db, { limit: LISTED_MAX }) : [];
    return [...ofServer.map(toItem), ...(await executions.list(workspaceId)).map(ofExecution)];
  }

  async function retryTask(id: string, actor: AuditActor): Promise<void> {
    const record = await openLog('task.retry', actor);
    await database.transaction(async (tx) => {
      const task = await tasks.retryQuarantined(tx, id);
      if (task) await record(tx, toItem(task));
    });
  }

  async function dismissTask(item: QuarantinedItem, actor: AuditActor): Promise<void> {
    const record = await openLog('task.dismiss', actor);
    await database.transaction(async (tx) => {
      if (await tasks.cancel(tx, item.id)) await record(tx, item);
    });
  }

  async function retryExecution(id: string, actor: AuditActor): Promise<void> {
    const execution = (await executions.list()).find(({ runId }) => runId === id);
    if (execution) await executions.retry(execution, actor);
  }

  return {
    list,
    async count() {
      return [...(await tasks.countQuarantined(database.db)), { queue: EXECUTIONS, tasks: await executions.count() }];
    },
    async retry(id, actor, workspaceId) {
      const item = (await list(workspaceId)).find((one) => one.id === id);
      if (item?.instead === null) await (item.queue === EXECUTIONS ? retryExecution(id, actor) : retryTask(id, actor));
      return item;
    },
    async dismiss(id, actor) {
      const item = (await list()).find((one) => one.id === id);
      if (item && item.instead !== null) await dismissTask(item, actor);
      return item;
    },
    async report() {
      const record = await openLog('task.quarantine', SERVER);
      await database.transaction(async (tx) => {
        for (const task of await tasks.takeUnreported(tx)) await record(tx, toItem(task));
      });
    },
  };
}

const SERVER: AuditActor = { type: 'OTHER', metadata: { name: 'server' } };

function toItem({ id, queue, tenant, payload, deaths, quarantined_ms }: QuarantinedTask): QuarantinedItem {
  return {
    ...{ id, queue, organization_id: tenant, deaths },
    about: listIds(payload),
    quarantined_at: new Date(quarantined_ms ?? 0).toISOString(),
    instead: INSTEAD[queue] ?? null,
  };
}

/** Owners may choose the id of an execution, and it is unique in its workspace only. */
function ofExecution(execution: QuarantinedExecution): QuarantinedItem {
  const { runId: id, organizationId: organization_id, executionId, workflowName, deaths, since } = execution;
  return {
    ...{ id, queue: EXECUTIONS, organization_id, deaths },
    about: { execution_id: executionId, workflow_name: workflowName },
    quarantined_at: since,
    instead: null,
  };
}

/** Only ids, because payloads may have texts of users. */
function listIds(payload: unknown): Record<string, string> {
  const isNamed = (name: string, value: unknown) =>
    /(^|_)(id|name)$/.test(name) && typeof value === 'string' && value.length <= ID_CHARACTERS_MAX;
  return Object.fromEntries(Object.entries(payload ?? {}).filter(([name, value]) => isNamed(name, value)));
}
