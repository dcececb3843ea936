import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Database, Signal } from '../../kit/db/index.ts';

export type TenantPorts = {
  database: Database;
  audit: AuditService;
  /** Raised in the transaction of every change to what keys and sessions may do. */
  keysSignal: Signal;
  now: Clock;
};
