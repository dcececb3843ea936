import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Blobs } from '../../kit/blobs/index.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Events } from '../../kit/events/index.ts';
import type { PageTokens } from '../../kit/http/index.ts';
import { createTasks } from '../../kit/tasks/index.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from '../engine/create-engine.ts';
import { createPayloads } from '../payloads/pack-payloads.ts';
import { createSeal } from '../payloads/seal.ts';
import { upsertPayload } from '../store/payloads.ts';
import type { ClusterRuns } from './cluster-runs.ts';
import { createDeployments, type DeploymentService } from './deployments.ts';
import { createEventRoutes, type EventRoutes } from './event-routes.ts';
import { createEventService, type EventService } from './events.ts';
import { createExecute, type Execute } from './execute.ts';
import { createExecutionTokens } from './execution-tokens.ts';
import { createExecutions, type ExecutionService } from './executions.ts';
import { createGraphs, type GraphService } from './graphs.ts';
import { createLogs, type LogService } from './logs.ts';
import { createMetrics, type MetricsService } from './metrics.ts';
import { createPrune } from './prune.ts';
import { recordIn } from './record-change.ts';
import { createRegistrations, type RegistrationService } from './registrations.ts';
import { createRegistry, type RegistryService } from './registry.ts';
import { createStartRouter } from './route-start.ts';
import { createScheduleRunner } from './run-schedules.ts';
import { createRuns, type RunService } from './runs.ts';
import { createSchedules, type ScheduleService } from './schedules.ts';
import { createWorkerEvents, type WorkerEvents } from './worker-events.ts';
import { createWorkerExecutions, type WorkerExecutions } from './worker-executions.ts';
import { createWorkerSearchKeys, type WorkerSearchKeys } from './worker-search-keys.ts';
import { createCatalogue, type WorkflowCatalogue } from './workflows.ts';

export type WorkflowService = {
  registry: RegistryService;
  /** What workers do. */
  workers: EmbeddedEngine['workers'];
  catalogue: WorkflowCatalogue;
  registrations: RegistrationService;
  execute: Execute;
  executions: ExecutionService;
  events: EventService;
  runs: RunService;
  metrics: MetricsService;
  schedules: ScheduleService;
  deployments: DeploymentService;
  logs: LogService;
  graphs: GraphService;
  workerEvents: WorkerEvents;
  workerExecutions: WorkerExecutions;
  workerSearchKeys: WorkerSearchKeys;
  eventRoutes: EventRoutes;
  /** Forgets what ended long ago. */
  prune(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export function createWorkflowService(options: {
  database: Database;
  events: Events;
  audit: AuditService;
  tokens: PageTokens;
  blobs: Blobs;
  /** The operator's keys for what workflows pass around; none: it is kept readable. */
  encryptionKeys: Buffer[];
  retentionDays: number;
  /** What the tokens of executions are made of; the same in all processes. */
  tokenSecret: string;
  now: Clock;
  log: Logger;
}): WorkflowService {
  const { database, blobs, now } = options;
  const router = createStartRouter(options);
  const payloads = createPayloads({
    blobs,
    seal: createSeal(options.encryptionKeys),
    refer: (workspaceId, sha256) => upsertPayload(database.db, workspaceId, sha256, now()),
  });
  const embedded = createEmbeddedEngine({ ...options, payloads, findRegistration: router.findForChild });
  const { engine, workers } = embedded;
  const tasks = createTasks(options);
  const deps = { ...options, payloads, engine, router, tasks, record: recordIn(options.audit) };
  const runner = createScheduleRunner(deps);
  const cluster: ClusterRuns | undefined = undefined;
  const executionTokens = createExecutionTokens(options.tokenSecret);
  return {
    registry: createRegistry(deps),
    workers,
    catalogue: createCatalogue(deps),
    registrations: createRegistrations(deps),
    execute: createExecute(deps),
    executions: createExecutions(deps),
    events: createEventService(deps),
    runs: createRuns(deps),
    metrics: createMetrics(deps),
    schedules: createSchedules({ ...deps, runner }),
    deployments: createDeployments(deps),
    logs: createLogs(deps),
    graphs: createGraphs(deps),
    workerEvents: createWorkerEvents({ ...deps, workers, cluster }),
    workerExecutions: createWorkerExecutions({ database, cluster, tokens: executionTokens }),
    workerSearchKeys: createWorkerSearchKeys({ database, cluster }),
    eventRoutes: createEventRoutes({ ...options, executionTokens, cluster }),
    prune: createPrune(deps),
    async start() {
      await embedded.start();
      await runner.start();
    },
    async stop() {
      await runner.stop();
      await embedded.stop();
    },
  };
}
