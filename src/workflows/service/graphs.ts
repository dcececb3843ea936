import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { workflowErrors } from '../errors.ts';
import { checkPayload } from '../payloads/limits.ts';
import type { GraphRequest, GraphResponse } from '../schema/worker-executions.ts';
import { findGraph, upsertGraph } from '../store/graphs.ts';
import { findRegistration } from '../store/registrations.ts';
import { findWorkflow } from '../store/workflows.ts';

/** Graphs that workers draw of their workflows, stored as they are. */
export function createGraphs({ database, now }: { database: Database; now: Clock }) {
  const { db } = database;

  async function mustFind(scope: Scope, identifier: string, registrationId: string) {
    const workflow = await findWorkflow(db, scope.workspace_id, identifier);
    if (!workflow) throw workflowErrors.workflow_not_found(identifier);
    const registration = await findRegistration(db, scope.workspace_id, registrationId);
    if (registration?.workflow_id !== workflow.id) throw workflowErrors.workflow_registration_not_found(registrationId);
    return registration;
  }

  return {
    async put(scope: Scope, identifier: string, request: GraphRequest): Promise<GraphResponse> {
      const { workflow_registration_id, version, graph_data = null, error = null } = request;
      const registration = await mustFind(scope, identifier, workflow_registration_id);
      checkPayload(graph_data, ['body', 'graph_data']);
      await upsertGraph(db, {
        registration_id: registration.id,
        workspace_id: scope.workspace_id,
        version,
        graph: graph_data,
        error,
        updated_at: isoMicros(now),
      });
      return { workflow_registration_id, version, graph_data, error };
    },

    async get(scope: Scope, identifier: string, registrationId: string): Promise<GraphResponse> {
      const { id } = await mustFind(scope, identifier, registrationId);
      const row = await findGraph(db, scope.workspace_id, id);
      if (!row) throw workflowErrors.graph_not_found(registrationId);
      return { workflow_registration_id: id, version: row.version, graph_data: row.graph, error: row.error };
    },
  };
}

export type GraphService = ReturnType<typeof createGraphs>;
