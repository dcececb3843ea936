import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import { ApiError, type PageTokens, type Scope } from '../../kit/http/index.ts';
import type { ClusterRuns } from '../engines/temporal/cluster-runs.ts';
import { refuseEventRoute } from '../errors.ts';
import type { RouteTokenRequest } from '../schema/worker-events.ts';
import type { ExecutionTokens } from './execution-tokens.ts';

const LIFETIME_SECONDS = 15 * 60;

type Claims = { workspace: string; execution: string; run: string; until: number };
type Named = { workflow_exec_id: string; workflow_run_id: string };

/** Route tokens: signed permissions to publish the events of one run. */
export function createEventRoutes(deps: {
  database: Database;
  tokens: PageTokens;
  executionTokens: ExecutionTokens;
  cluster: ClusterRuns | undefined;
  now: Clock;
}) {
  const { database, tokens, executionTokens, cluster, now } = deps;
  const QUESTION = ['workflow-event-route'];

  function read(token: string): Claims {
    try {
      return tokens.read(QUESTION, token) as Claims;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw invalid();
    }
  }

  return {
    async issue(
      scope: Scope,
      request: RouteTokenRequest,
    ): Promise<{ route_token: string; expires_in_seconds: number }> {
      const { workflow_exec_id, workflow_run_id, execution_token } = request;
      const run = await cluster?.find(database.db, scope.workspace_id, workflow_run_id);
      if (run?.execution_id !== workflow_exec_id)
        throw refuseEventRoute('event_route_not_found', `No run '${workflow_run_id}' was found.`);
      if (execution_token) {
        const known = await executionTokens.findRun(database.db, scope.workspace_id, execution_token);
        if (known !== run.run_id)
          throw refuseEventRoute('event_route_binding_invalid', 'The execution token belongs to another run.');
      }
      const claims: Claims = {
        workspace: scope.workspace_id,
        execution: workflow_exec_id,
        run: workflow_run_id,
        until: now() + LIFETIME_SECONDS * 1000,
      };
      return { route_token: tokens.write(QUESTION, claims), expires_in_seconds: LIFETIME_SECONDS };
    },

    /** Throws unless the token covers all events. */
    check(scope: Scope, token: string | undefined, events: readonly Named[]): void {
      if (token === undefined) throw invalid();
      const { workspace, execution, run, until } = read(token);
      if (until <= now())
        throw refuseEventRoute('event_route_token_expired', 'The route token has expired. Ask for another.');
      const covers = (event: Named) => event.workflow_exec_id === execution && event.workflow_run_id === run;
      if (workspace !== scope.workspace_id || !events.every(covers)) throw invalid();
    },
  };
}

function invalid(): ApiError {
  return refuseEventRoute('event_route_token_invalid', 'The route token does not cover these events.');
}

export type EventRoutes = ReturnType<typeof createEventRoutes>;
