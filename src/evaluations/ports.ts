import type { AgentService } from '../agents/index.ts';
import type { AuditService } from '../audit/index.ts';
import type { JudgeService } from '../judges/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { Announce } from '../kit/events/index.ts';
import type { Tenant } from '../kit/fair-queue/index.ts';
import type { InnerAnswer, PageTokens, Scope } from '../kit/http/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import type { Prices } from '../metering/index.ts';
import type { ModelService } from '../models/index.ts';
import type { PromptService } from '../prompts/index.ts';
import type { Authority } from '../tenants/index.ts';
import type { TraceService } from '../traces/index.ts';

export type DatasetRecord = {
  id: string;
  position: number;
  payload: Record<string, unknown>;
  properties: Record<string, unknown>;
};

/** Both throw when the workspace has no such dataset. */
export type DatasetReader = {
  find(scope: Scope, idOrSlug: string): Promise<{ id: string; records: number }>;
  /** Some of its records after this position, in their order; none at the end. */
  read(scope: Scope, id: string, after: number): Promise<DatasetRecord[]>;
};

/** Calls one of the platform's own endpoints, with the scope of whoever asked for the work. */
export type CallEndpoint = (
  endpoint: string,
  call: { scope: Scope; body: unknown; requestId: string; idempotencyKey: string; signal: AbortSignal },
) => Promise<InnerAnswer>;

export type EvaluationPorts = {
  database: Database;
  audit: AuditService;
  tasks: Tasks;
  authority: Authority;
  announce?: Announce | undefined;
  judges: Pick<JudgeService, 'get' | 'list' | 'judge'>;
  datasets: DatasetReader;
  prompts: Pick<PromptService, 'read' | 'getModel'>;
  agents: Pick<AgentService, 'get'>;
  models: Pick<ModelService, 'find'>;
  prices: Prices;
  traces: Pick<TraceService, 'searchSpans'>;
  callEndpoint: CallEndpoint;
  /** Waits for the tenant's turn at a model; call the result when the request has ended. */
  enter(tenant: Tenant, model: string, signal: AbortSignal): Promise<() => void>;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  tokens: PageTokens;
  /** Records of one run that are answered at the same time. */
  concurrency: number;
  requestMs: number;
  retentionDays: number;
  now: Clock;
  log: Logger;
};
