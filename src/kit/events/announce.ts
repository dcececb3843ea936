import type { Tx } from '../db/index.ts';

/** That something has happened, for listeners outside: ids and states, never contents. */
export type Announcement = {
  type: string;
  organization_id: string;
  /** Null where it concerns the whole organization. */
  workspace_id: string | null;
  data: Record<string, string | number | boolean | null>;
};

/** Announces in the transaction of what happened, so that both take effect or neither. Costs nothing without listeners. */
export type Announce = (tx: Tx, news: Announcement) => Promise<void>;
