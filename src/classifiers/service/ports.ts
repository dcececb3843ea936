import type { AuditService } from '../../audit/index.ts';
import type { FileService } from '../../files/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database, Signal } from '../../kit/db/index.ts';
import type { Tasks } from '../../kit/tasks/index.ts';
import type { Meter } from '../../metering/index.ts';
import type { ModelService } from '../../models/index.ts';
import type { Authority } from '../../tenants/index.ts';

export type TrainingPorts = {
  database: Database;
  audit: AuditService;
  tasks: Tasks;
  authority: Pick<Authority, 'scopeOf'>;
  files: Pick<FileService, 'get' | 'open'>;
  models: Pick<ModelService, 'served'>;
  /** Tells all servers of new models. */
  signal: Signal;
  meter: Meter;
  /** With which model search embeds. */
  embeddingModel: string;
  now: Clock;
  log: Logger;
};
