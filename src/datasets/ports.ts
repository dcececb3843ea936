import type { AuditService } from '../audit/index.ts';
import type { ConversationService } from '../conversations/index.ts';
import type { FileService } from '../files/index.ts';
import type { JudgeService } from '../judges/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import type { Authority } from '../tenants/index.ts';
import type { TraceService } from '../traces/index.ts';

/** Where imports read. */
export type SourcePorts = {
  files: Pick<FileService, 'get' | 'open'>;
  conversations: Pick<ConversationService, 'get' | 'messages'>;
  traces: Pick<TraceService, 'getSpan' | 'listFields'>;
};

export type DatasetPorts = SourcePorts & {
  database: Database;
  audit: AuditService;
  tasks: Tasks;
  judges: Pick<JudgeService, 'check' | 'judge'>;
  authority: Pick<Authority, 'scopeOf'>;
  /** Runs work that stores bytes within the limits of the caller. */
  withinStorage<T>(scope: Scope, bytes: number, work: () => Promise<T>): Promise<T>;
  /** Finds the audit log for a download without a key. */
  organizationOf(workspaceId: string): Promise<string | undefined>;
  publicUrl: string | undefined;
  /** Records of one dataset. */
  recordsMax?: number;
  now: Clock;
  log: Logger;
};
