import type { Selectable } from 'kysely';
import type { Failure, Json, QueryTask, StepOptions } from '../../../../packages/workflows/src/protocol.ts';
import type { Tables } from '../../../kit/db/index.ts';
import type { JsonColumn } from '../../store/run-tables.ts';

/**
 * granted: runs under the lease of its run, on the same worker. ready: any worker may take it.
 * leased: runs under a lease of its own. waiting: for its next attempt, for its rate limit, or for its run to be taken up.
 */
export type StepState = 'granted' | 'ready' | 'leased' | 'waiting';

declare module '../../../kit/db/tables.ts' {
  interface Tables {
    workflow_steps: {
      run_id: string;
      scheduled_event_id: number;
      workspace_id: string;
      deployment_name: string;
      seq: number;
      name: string;
      input: JsonColumn<Json[]>;
      options: JsonColumn<StepOptions>;
      state: StepState;
      attempt: number;
      lease_seq: number;
      /** Workers that were lost while they ran it, one after the other; too many of them set its run aside. */
      lost_leases: number;
      lease_worker: string | null;
      lease_until_ms: number | null;
      scheduled_ms: number;
      started_ms: number | null;
      heartbeat_ms: number | null;
      last_heartbeat: JsonColumn<Json>;
      last_failure: JsonColumn<Failure | null>;
      cancel_requested: boolean;
      ready_ms: number | null;
      due_ms: number | null;
    };
    workflow_timers: { run_id: string; seq: number; started_event_id: number; due_ms: number };
    workflow_updates: {
      update_id: string;
      run_id: string;
      outcome: JsonColumn<Outcome | null>;
      created_ms: number;
    };
    /** Queries for a worker that polls another process. */
    workflow_queries: {
      query_id: string;
      workspace_id: string;
      deployment_name: string;
      task: JsonColumn<QueryTask>;
      taken: boolean;
      outcome: JsonColumn<Outcome | null>;
      created_ms: number;
    };
    workflow_rate_grants: { workspace_id: string; deployment_name: string; key: string; at_ms: number; id: string };
  }
}

export type Outcome = { result: Json } | { failure: Failure };
export type StepRow = Selectable<Tables['workflow_steps']>;
