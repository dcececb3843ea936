import type { AuditActor } from '../../audit/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { actorOf } from '../../tenants/index.ts';
import { consoleErrors } from '../errors.ts';
import type { QuarantinedWork } from '../schema/quarantine.ts';

type Item = QuarantinedWork['items'][number];

export type QuarantinePort = {
  /** Of the whole server; or of one workspace, which has executions alone. */
  list(workspaceId?: string): Promise<Item[]>;
  /** Runs it once more, unless it has ended (`instead`). Undefined when the list has nothing with this id. */
  retry(id: string, actor: AuditActor, workspaceId?: string): Promise<Item | undefined>;
  /** Takes what has ended off the list; all else stays. Undefined when the list has nothing with this id. */
  dismiss(id: string, actor: AuditActor): Promise<Item | undefined>;
};

/** Stored work that ended servers or workers again and again. */
export function createQuarantineReport(deps: {
  quarantine: QuarantinePort;
  isOperator: (scope: Scope) => Promise<boolean>;
}) {
  const { quarantine, isOperator } = deps;
  const placeOf = async (scope: Scope) => ((await isOperator(scope)) ? undefined : scope.workspace_id);
  return {
    list: async (scope: Scope): Promise<QuarantinedWork> => ({ items: await quarantine.list(await placeOf(scope)) }),
    async retry(scope: Scope, id: string): Promise<undefined> {
      const item = await quarantine.retry(id, actorOf(scope), await placeOf(scope));
      if (!item) throw consoleErrors.quarantined_work_not_found(id);
      if (item.instead !== null) throw consoleErrors.quarantined_work_ended(item.instead);
    },
    async dismiss(scope: Scope, id: string): Promise<undefined> {
      const item = (await isOperator(scope)) ? await quarantine.dismiss(id, actorOf(scope)) : undefined;
      if (!item) throw consoleErrors.quarantined_work_not_found(id);
      if (item.instead === null) throw consoleErrors.quarantined_work_open();
    },
  };
}
