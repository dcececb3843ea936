import type { Scope } from '../../kit/http/index.ts';
import { consoleErrors } from '../errors.ts';
import type { QuarantinedWork } from '../schema/quarantine.ts';

export type QuarantinePort = {
  list(): Promise<QuarantinedWork['items']>;
  /** False when nothing with this id is quarantined. */
  retry(scope: Scope, id: string): Promise<boolean>;
};

/** Stored work that ended the server again and again. Only the operator sees it, because it belongs to all organizations. */
export function createQuarantineReport(deps: {
  quarantine: QuarantinePort;
  isOperator: (scope: Scope) => Promise<boolean>;
}) {
  const { quarantine, isOperator } = deps;
  return {
    async list(scope: Scope): Promise<QuarantinedWork> {
      return { items: (await isOperator(scope)) ? await quarantine.list() : [] };
    },
    async retry(scope: Scope, id: string): Promise<undefined> {
      const isRetried = (await isOperator(scope)) && (await quarantine.retry(scope, id));
      if (!isRetried) throw consoleErrors.quarantined_work_not_found(id);
    },
  };
}
