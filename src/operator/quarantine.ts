import type { AuditActor, AuditService } from '../audit/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Database, Db, Tx } from '../kit/db/index.ts';
import { createTasks, type QuarantinedTask } from '../kit/tasks/index.ts';
import type { TenantService } from '../tenants/index.ts';

const LISTED_MAX = 1000;
const ID_CHARACTERS_MAX = 64;

/** Stored work that was running at three deaths of a server. It runs again only when an operator says so. */
export type QuarantinedItem = {
  id: string;
  queue: string;
  organization_id: string | null;
  /** The ids in it, such as that of a document. */
  about: Record<string, string>;
  deaths: number;
  quarantined_at: string;
};

type Ports = {
  database: Database;
  audit: Pick<AuditService, 'record'>;
  tenants: Pick<TenantService, 'listOrganizations'>;
};

export type Quarantine = {
  list(db: Db): Promise<QuarantinedItem[]>;
  count(db: Db): Promise<{ queue: string; tasks: number }[]>;
  /** Undefined when nothing with this id is quarantined. */
  retry(id: string, actor: AuditActor): Promise<QuarantinedItem | undefined>;
  /** Writes what was quarantined since the last call to the audit log. */
  report(): Promise<void>;
};

export function createQuarantine({ database, audit, tenants }: Ports): Quarantine {
  const tasks = createTasks({ database, now: systemClock });

  /** Work of the server itself is in the log of the operator's organization. */
  async function openLog(event_type: 'task.quarantine' | 'task.retry', actor: AuditActor) {
    const ids = (await tenants.listOrganizations()).map(({ id }) => id);
    return async (tx: Tx, { id, queue, organization_id: owner, about }: QuarantinedItem) => {
      const organization_id = ids.find((known) => known === owner) ?? ids[0];
      if (organization_id === undefined) return;
      const target_metadata = { ...about, task_id: id, queue };
      await audit.record(tx, { organization_id, actor, event_type, target_type: 'TASK', target_metadata });
    };
  }

  return {
    list: async (db) => (await tasks.listQuarantined(db, { limit: LISTED_MAX })).map(toItem),
    count: tasks.countQuarantined,
    async retry(id, actor) {
      const record = await openLog('task.retry', actor);
      return database.transaction(async (tx) => {
        const task = await tasks.retryQuarantined(tx, id);
        if (task) await record(tx, toItem(task));
        return task && toItem(task);
      });
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
  };
}

/** Only ids, because payloads may have texts of users. */
function listIds(payload: unknown): Record<string, string> {
  const isNamed = (name: string, value: unknown) =>
    /(^|_)(id|name)$/.test(name) && typeof value === 'string' && value.length <= ID_CHARACTERS_MAX;
  return Object.fromEntries(Object.entries(payload ?? {}).filter(([name, value]) => isNamed(name, value)));
}
