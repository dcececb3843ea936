import type { ColumnType, Selectable } from 'kysely';
import type { Failure, HistoryEvent, Json } from '../../../packages/workflows/src/protocol.ts';
import type { Tables } from '../../kit/db/index.ts';
import type { ExecutionStatus } from '../schema/statuses.ts';

/** An event that came while a worker was taking a turn: it has its number only when the turn has ended. */
export type BufferedEvent = Pick<HistoryEvent, 'type' | 'time_ms' | 'attributes'>;

/** Written as JSON text, because the drivers would pass a bare string on as it is. */
export type JsonColumn<T> = ColumnType<T, string | null, string | null>;

declare module '../../kit/db/tables.ts' {
  interface Tables {
    workflow_runs: {
      run_id: string;
      /** Grows with each write, which is refused when it is not the one that was read. */
      version: number;
      organization_id: string;
      workspace_id: string;
      user_id: string | null;
      execution_id: string;
      /** The run that the execution's name means; reset and continue-as-new hand it on. */
      is_latest: boolean;
      has_children: boolean;
      workflow_id: string;
      workflow_name: string;
      display_name: string | null;
      registration_id: string;
      deployment_name: string;
      root_execution_id: string;
      parent_execution_id: string | null;
      parent_run_id: string | null;
      parent_seq: number | null;
      parent_initiated_id: number | null;
      /** Whether the parent's history is told how this run ended. */
      parent_waits: boolean;
      parent_close_policy: 'terminate' | 'abandon' | 'request_cancel' | null;
      schedule_id: string | null;
      first_run_id: string;
      continued_run_id: string | null;
      metadata: JsonColumn<Record<string, Json> | null>;
      search_key_paths: JsonColumn<string[]>;
      timeout_ms: number;
      deadline_ms: number | null;
      started_at: string;
      ended_at: string | null;
      status: ExecutionStatus;
      result: JsonColumn<Json | null>;
      failure: JsonColumn<Failure | null>;
      cancel_requested: boolean;
      last_event_id: number;
      history_bytes: number;
      /** The event of the turn that is asked for or under way; null while the run waits for something to happen. */
      turn_scheduled_id: number | null;
      turn_attempt: number;
      buffered: JsonColumn<BufferedEvent[] | null>;
      /** Since when the turn may be taken by any worker; null while there is none or a worker has it. */
      ready_ms: number | null;
      /** Grows with each lease, so that a worker whose lease ran out can be told from its successor. */
      lease_seq: number;
      lease_worker: string | null;
      lease_until_ms: number | null;
      /** The worker that has the run in its cache, and the last event it knows. */
      sticky_worker: string | null;
      sticky_event_id: number;
      /** When the engine must look at the run again: a lease, a deadline, a delayed turn. */
      due_ms: number | null;
    };
    workflow_history: {
      run_id: string;
      first_event_id: number;
      last_event_id: number;
      events: JsonColumn<HistoryEvent[]>;
    };
    workflow_emitted: { run_id: string; key: string };
    workflow_search_keys: { run_id: string; workspace_id: string; key: string; value: string };
  }
}

export type RunRow = Selectable<Tables['workflow_runs']>;
