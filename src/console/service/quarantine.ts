import type { Scope } from '../../kit/http/index.ts';
import { consoleErrors } from '../errors.ts';
import type { QuarantinedWork } from '../schema/quarantine.ts';

type Item = QuarantinedWork['items'][number];

export type QuarantinePort = {
  /** Of all organizations, so for the operator alone. */
  tasks: {
    list(): Promise<Item[]>;
    /** False when nothing with this id is quarantined. */
    retry(scope: Scope, id: string): Promise<boolean>;
  };
  /** Of the workspace of the scope. */
  executions: { list(scope: Scope): Promise<Item[]>; retry(scope: Scope, id: string): Promise<undefined> };
};

/** Stored work that ended servers or workers again and again. */
export function createQuarantineReport(deps: {
  quarantine: QuarantinePort;
  isOperator: (scope: Scope) => Promise<boolean>;
}) {
  const { isOperator } = deps;
  const { tasks, executions } = deps.quarantine;
  return {
    async list(scope: Scope): Promise<QuarantinedWork> {
      const ofServer = (await isOperator(scope)) ? await tasks.list() : [];
      return { items: [...ofServer, ...(await executions.list(scope))] };
    },
    async retry(scope: Scope, id: string): Promise<undefined> {
      if ((await isOperator(scope)) && (await tasks.retry(scope, id))) return;
      const isExecution = (await executions.list(scope)).some((item) => item.id === id);
      if (!isExecution) throw consoleErrors.quarantined_work_not_found(id);
      await executions.retry(scope, id);
    },
  };
}
