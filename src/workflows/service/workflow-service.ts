import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Blobs } from '../../kit/blobs/index.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Announce, Events } from '../../kit/events/index.ts';
import type { PageTokens } from '../../kit/http/index.ts';
import { createTasks } from '../../kit/tasks/index.ts';
import type { RecordSpan } from '../../metering/index.ts';
import type { Authority } from '../../tenants/index.ts';
import { createRegistrationChooser } from '../choose-registration.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from '../engines/embedded/create-embedded-engine.ts';
import type { TemporalSettings } from '../engines/temporal/connect.ts';
import { createSealedValues } from '../engines/temporal/sealed-values.ts';
import { createPayloads } from '../payloads/pack-payloads.ts';
import { createSeal } from '../payloads/seal.ts';
import { recordIn } from '../record-change.ts';
import { upsertPayload } from '../store/payloads.ts';
import { createSpanRecorder } from '../traces/record-spans.ts';
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
import { createQuarantine, type QuarantinedExecutions, recordSetAside } from './quarantine.ts';
import { createRegistrations, type RegistrationService } from './registrations.ts';
import { createRegistry, type RegistryService } from './registry.ts';
import { createRuns, type RunService } from './runs.ts';
import { createScheduleRunner } from './schedule-runner.ts';
import { createSchedules, type ScheduleService } from './schedules.ts';
import { createTemporalWorkers, type TemporalWorkers } from './temporal-workers.ts';
import { createTraces, type TraceService } from './traces.ts';
import { createWorkerEvents, type WorkerEvents } from './worker-events.ts';
import { createWorkerExecutions, type WorkerExecutions } from './worker-executions.ts';
import { createWorkerSearchKeys, type WorkerSearchKeys } from './worker-search-keys.ts';
import { createCatalogue, type WorkflowCatalogue } from './workflows.ts';

export type WorkflowService = {
  registry: RegistryService;
  /** The embedded engine's interface for workers. */
  workers: EmbeddedEngine['workers'];
  catalogue: WorkflowCatalogue;
  registrations: RegistrationService;
  execute: Execute;
  executions: ExecutionService;
  events: EventService;
  runs: RunService;
  metrics: MetricsService;
  quarantine: QuarantinedExecutions;
  schedules: ScheduleService;
  deployments: DeploymentService;
  logs: LogService;
  traces: TraceService;
  /** For our workers on Temporal. */
  onTemporal: TemporalWorkers;
  /** Throws when the engine cannot be reached. */
  checkReady(): Promise<void>;
  graphs: GraphService;
  workerEvents: WorkerEvents;
  workerExecutions: WorkerExecutions;
  workerSearchKeys: WorkerSearchKeys;
  eventRoutes: EventRoutes;
  /** Deletes executions whose retention is over. */
  prune(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export async function createWorkflowService(options: {
  database: Database;
  events: Events;
  audit: AuditService;
  tokens: PageTokens;
  blobs: Blobs;
  /** The operator's keys for payloads; without any they are not encrypted. */
  encryptionKeys: Buffer[];
  retentionDays: number;
  /** If set, executions run on this cluster instead of the embedded engine. */
  temporal?: { settings: TemporalSettings; schedulerUrl(origin: string): string } | undefined;
  authority: Authority;
  organizationOf: (workspaceId: string) => Promise<string | undefined>;
  /** Derives execution tokens; the same in all processes. */
  tokenSecret: string;
  /** Takes executions and steps as spans, when they end. */
  recordSpan?: RecordSpan | undefined;
  announce?: Announce | undefined;
  now: Clock;
  log: Logger;
}): Promise<WorkflowService> {
  const { database, blobs, now } = options;
  const chooser = createRegistrationChooser(options);
  const payloads = createPayloads({
    blobs,
    seal: createSeal(options.encryptionKeys),
    refer: (workspace_id, sha256, bytes) =>
      upsertPayload(database.db, { workspace_id, sha256, packed_ms: now(), bytes }),
  });
  const onEvent = options.recordSpan && createSpanRecorder(options.recordSpan);
  const embedded = createEmbeddedEngine({
    ...{ ...options, payloads, onEvent },
    findRegistration: chooser.findForChild,
    onSetAside: recordSetAside(options.audit),
  });
  const { workers, quarantine } = embedded;
  const executionTokens = createExecutionTokens(options.tokenSecret);
  const isOfficial = async (row: { workspace_id: string; registration_id: string }) =>
    (await chooser.readRegistration(row.workspace_id, row.registration_id))?.sdk === 'mistralai';
  const sealed = createSealedValues(options.encryptionKeys);
  const openTemporal = async (settings: TemporalSettings) => {
    // Imported lazily: Temporal's client takes a second to load.
    const [{ createTemporalEngine }, { createEncodeValue }] = await Promise.all([
      import('../engines/temporal/create-temporal-engine.ts'),
      import('../engines/temporal/encode-values.ts'),
    ]);
    const encode = createEncodeValue({ isOfficial, tokenOf: executionTokens.tokenOf, sealed });
    const findRegistration = chooser.findForChild;
    return createTemporalEngine({
      ...{ ...options, settings, payloads, encode, sealed, isOfficial, findRegistration },
      onEvent,
    });
  };
  const temporal = options.temporal && (await openTemporal(options.temporal.settings));
  const { engine } = temporal ?? embedded;
  const scheduler = options.temporal &&
    temporal && { urlFor: options.temporal.schedulerUrl, namespaceFor: temporal.namespaces.ensureNamespace };
  const tasks = createTasks(options);
  const deps = { ...options, payloads, engine, chooser, tasks, record: recordIn(options.audit), scheduler };
  const runner = createScheduleRunner(deps);
  const cluster = temporal?.cluster;
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
    quarantine: createQuarantine({ ...deps, quarantine }),
    schedules: createSchedules({ ...deps, runner }),
    deployments: createDeployments(deps),
    logs: createLogs(deps),
    traces: createTraces(deps),
    onTemporal: createTemporalWorkers({ temporal, chooser, sealed }),
    graphs: createGraphs(deps),
    workerEvents: createWorkerEvents({ ...deps, workers, cluster }),
    workerExecutions: createWorkerExecutions({ ...deps, cluster, tokens: executionTokens }),
    workerSearchKeys: createWorkerSearchKeys({ database, cluster }),
    eventRoutes: createEventRoutes({ ...options, executionTokens, cluster }),
    prune: createPrune(deps),
    checkReady: async () => temporal?.ping(),
    async start() {
      await (temporal ?? embedded).start();
      await runner.start();
    },
    async stop() {
      await runner.stop();
      await (temporal ?? embedded).stop();
    },
  };
}
