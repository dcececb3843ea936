import type { ColumnType, Generated, Selectable } from 'kysely';
import type { Failure, HistoryEvent, Json } from '../../../packages/workflows/src/protocol.ts';
import type { Tables } from '../../kit/db/index.ts';
import type { ExecutionStatus } from '../schema/statuses.ts';

/** An event that came while a worker was taking a turn; it gets its id when the turn has ended. */
export type BufferedEvent = Pick<HistoryEvent, 'type' | 'time_ms' | 'attributes'>;

/** Written as JSON text: the drivers would not encode a bare string. */
export type JsonColumn<T> = ColumnType<T, string | null, string | null>;

declare module '../../kit/db/tables.ts' {
  interface Tables {
    workflow_runs: {
      run_id: string;
      /** Grows with each write; a write is rejected if it is not the version that was read. */
      version: number;
      organization_id: string;
      workspace_id: string;
      user_id: string | null;
      execution_id: string;
      /** The run that the execution id refers to; reset and continue-as-new move it to the new run. */
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
      /** Whether the parent's history gets an event for the end of this run. */
      parent_waits: boolean;
      parent_close_policy: 'terminate' | 'abandon' | 'request_cancel' | null;
      schedule_id: string | null;
      first_run_id: string;
      continued_run_id: string | null;
      /** The first run of the root execution: one start, with all that came of it. */
      chain_run_id: string | null;
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
      /** The event of the scheduled or running turn; null while the run waits. */
      turn_scheduled_id: number | null;
      turn_attempt: number;
      buffered: JsonColumn<BufferedEvent[] | null>;
      /** From when any worker may take the turn; null without a turn or while it is leased. */
      ready_ms: number | null;
      /** Grows with each lease: a fencing token against workers whose lease has expired. */
      lease_seq: number;
      lease_worker: string | null;
      lease_until_ms: number | null;
      /** The worker that has the run cached, and the last event it knows. */
      sticky_worker: string | null;
      sticky_event_id: number;
      /** When the engine must look at the run again: a lease, a deadline, a delayed turn. */
      due_ms: number | null;
      /** Workers that were lost while they held the run, one after the other; and when the last was. */
      deaths: Generated<number>;
      lost_ms: number | null;
      /** Since when no worker gets it any more, and why; null unless it was set aside. */
      quarantined_at: string | null;
      quarantine_reason: string | null;
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
