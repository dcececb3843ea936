import type { PayloadKeysResponse, Report } from '../../../packages/workflows/src/protocol.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { RegistrationChooser } from '../choose-registration.ts';
import type { TemporalEngine } from '../engines/temporal/create-temporal-engine.ts';
import type { SealedValues } from '../engines/temporal/sealed-values.ts';
import { workflowErrors } from '../errors.ts';
import type { FindWorkflowRequest, FindWorkflowResponse } from '../schema/temporal-workers.ts';

export type TemporalWorkers = {
  report(scope: Scope, reports: Report[]): Promise<undefined>;
  findWorkflow(scope: Scope, wanted: FindWorkflowRequest): Promise<FindWorkflowResponse>;
  /** Encryption keys for payloads on Temporal; none if the operator has configured none. */
  payloadKeys(scope: Scope): PayloadKeysResponse;
};

/** What our workers need from this server when their tasks come from Temporal. */
export function createTemporalWorkers(deps: {
  temporal: TemporalEngine | undefined;
  chooser: RegistrationChooser;
  sealed: SealedValues;
}): TemporalWorkers {
  const { temporal, chooser, sealed } = deps;
  return {
    async report(scope, reports) {
      if (!temporal) throw workflowErrors.worker_not_on_temporal();
      await temporal.recordReports(scope.workspace_id, reports);
    },

    async findWorkflow(scope, { workflow_name, deployment_name }) {
      const found = await chooser.findForChild(scope.workspace_id, workflow_name, deployment_name ?? undefined);
      if (!found) throw workflowErrors.workflow_not_found(workflow_name);
      return { deployment_name: found.deploymentName, execution_timeout_ms: found.executionTimeoutMs };
    },

    payloadKeys(scope) {
      if (!temporal) throw workflowErrors.worker_not_on_temporal();
      return { keys: sealed.keysOf(scope.workspace_id).map(({ id, key }) => ({ id, key: key.toString('base64') })) };
    },
  };
}
