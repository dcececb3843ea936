import type { ColumnType, Generated } from 'kysely';

/**
 * ready: may be claimed now. delayed: becomes ready at `due_ms`. running: leased until `due_ms`.
 * dead: its attempts are used up; it stays until it is retried or cancelled.
 * quarantined: it was running at three deaths of its process; it stays, with its dedupe key, until it is retried or cancelled.
 */
export type TaskState = 'ready' | 'delayed' | 'running' | 'dead' | 'quarantined';

declare module '../../db/tables.ts' {
  interface Tables {
    tasks: {
      id: string;
      queue: string;
      /** Written as JSON text, because the drivers would pass a bare string on as it is. */
      payload: ColumnType<unknown, string, string>;
      priority: number;
      /** When it was meant to run; the order among equals. */
      run_at_ms: number;
      /** When the queue must look at it again; null while it waits for a worker. */
      due_ms: number | null;
      repeat_ms: number | null;
      attempt: number;
      attempts_max: number;
      /** Grows with each claim, so that a worker whose lease ran out can be told from its successor. */
      lease_token: number;
      dedupe_key: string | null;
      last_error: string | null;
      state: TaskState;
      created_at: string;
      /** Whose it is, on queues where tenants take turns. */
      tenant: string | null;
      tenant_key: string | null;
      /** How many times its process died while it was running. */
      deaths: Generated<number>;
      /** While another task of the process is on trial, which is to blame if the process dies. */
      is_beside_trial: Generated<boolean>;
      quarantined_ms: Generated<number | null>;
      /** Whether the quarantine is in the audit log. */
      is_reported: Generated<boolean>;
    };
  }
}
