import type { ColumnType } from 'kysely';
import type { Json } from '../../../../packages/workflows/src/protocol.ts';

declare module '../../../kit/db/tables.ts' {
  interface Tables {
    workflow_temporal_runs: {
      run_id: string;
      workspace_id: string;
      /** Null until Temporal has confirmed the start. */
      temporal_run_id: string | null;
      /** The packed input; null once Temporal has it. */
      input: ColumnType<Json | null, string | null, string | null>;
      is_open: boolean;
    };
  }
}
