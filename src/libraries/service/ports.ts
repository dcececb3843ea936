import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Tasks } from '../../kit/tasks/index.ts';

/** What every part of the service needs. */
export type ServicePorts = { database: Database; audit: AuditService; tasks: Tasks; now: Clock };
