import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Database, Signal, Tx } from '../../kit/db/index.ts';
import type { Announce } from '../../kit/events/index.ts';

export type TenantPorts = {
  database: Database;
  audit: AuditService;
  /** Raised in the transaction of every change to what keys and sessions may do. */
  keysSignal: Signal;
  now: Clock;
  announce?: Announce | undefined;
  /** Deletes what other rooms keep for a member who leaves the organization. */
  forgetMember?: ((tx: Tx, member: { organization_id: string; user_id: string }) => Promise<void>) | undefined;
};
