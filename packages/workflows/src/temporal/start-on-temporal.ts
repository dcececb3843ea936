import type { NativeConnection, Runtime, Worker as TemporalWorker } from '@temporalio/worker';
import type { AnyStep, AnyWorkflow, Log } from '../definitions.ts';
import type { Json, RegisterRequest, ReportBody, WhoAmIResponse } from '../protocol.ts';
import { type Api, Refused } from '../worker/api.ts';
import { keepRegistered } from '../worker/registration.ts';
import { createLogShipper } from '../worker/ship-logs.ts';
import type { Worker, WorkerOptions } from '../worker/worker-options.ts';
import { bundleWorkflows, FAILURE_CONVERTER } from './bundle.ts';
import { loadTemporal } from './load-temporal.ts';
import { createPayloadCodec } from './payload-codec.ts';
import { createPublisher } from './publisher.ts';
import { toApplicationFailure } from './read-failures.ts';
import { FIND_WORKFLOW, type Route } from './route.ts';
import type { OurSinks } from './sinks.ts';

const DRAIN_MS = 30_000;
/** How long a turn waits for the worker that has the run cached, which may have died. */
const STICKY_MS = 3000;

type Given = {
  options: WorkerOptions;
  api: Api;
  server: WhoAmIResponse;
  request: RegisterRequest;
  workflows: ReadonlyMap<string, AnyWorkflow>;
  steps: ReadonlyMap<string, AnyStep>;
  log: Log;
  stopping: AbortController;
};

/** Starts a worker that gets its tasks from Temporal and everything else from the platform. */
export async function startOnTemporal(given: Given): Promise<Worker> {
  const { options, api, server, request, workflows, steps, log, stopping } = given;
  const { deployment_name, worker_name } = request;
  const identity = { deployment_name, worker_name };
  if (!options.files?.length)
    throw new TypeError(
      'This server runs workflows on Temporal: pass the files of its workflows to the worker (`files`).',
    );
  const limited = [...steps.values()].find(({ options: { rate_limit } }) => rate_limit);
  if (limited)
    throw new TypeError(
      `The step "${limited.name}" has a rateLimit, which cannot be kept on Temporal. Limit the service that it calls instead.`,
    );
  const temporal = await loadTemporal(options.files);
  // Imported after the packages are known to be installed.
  const { createActivities } = await import('./activities.ts');
  installRuntime(temporal.worker.Runtime, log);
  const leaving = new AbortController();
  const logs = createLogShipper({ api, identity, local: log, now: Date.now });
  const publisher = createPublisher({ api, identity, log, signal: leaving.signal });
  let busySteps = 0;
  const activities = createActivities(steps, {
    publisher,
    platform: { url: api.url, apiKey: api.apiKey },
    logFor: (about) => logs.about(about),
    onBusy: (change) => {
      busySteps += change;
    },
  });

  const codec = await createPayloadCodec(api);
  const converter = codec.isSealing ? { failureConverterPath: FAILURE_CONVERTER } : {};
  const bundle = await bundleWorkflows(temporal.worker, options.files, converter);
  const connection: NativeConnection = await temporal.worker.NativeConnection.connect({
    address: addressOf(server.scheduler_url),
    tls: server.tls,
    apiKey: api.apiKey,
  });
  const worker: TemporalWorker = await temporal.worker.Worker.create({
    connection,
    namespace: server.namespace,
    taskQueue: deployment_name,
    identity: worker_name,
    workflowBundle: bundle,
    dataConverter: { payloadCodecs: [codec], ...converter },
    activities: { ...activities, [FIND_WORKFLOW]: findWorkflow },
    maxConcurrentActivityTaskExecutions: options.maxSteps ?? 100,
    maxConcurrentWorkflowTaskExecutions: options.maxTurns ?? 200,
    ...(options.cache?.runsMax === undefined ? {} : { maxCachedWorkflows: options.cache.runsMax }),
    stickyQueueScheduleToStartTimeout: STICKY_MS,
    maxHeartbeatThrottleInterval: 1000,
    defaultHeartbeatThrottleInterval: 1000,
    shutdownGraceTime: DRAIN_MS,
    sinks: sinksOf(),
  });

  function sinksOf() {
    const { report, log: writeLog } = {
      report: (info: { workflowId: string; runId: string }, key: string, body: ReportBody) =>
        publisher.add({ execution_id: info.workflowId, run_id: info.runId, key, ...body }),
      log: (
        info: { workflowId: string; workflowType: string },
        run_id: string,
        ...[level, message, attributes]: Parameters<OurSinks['tramontane']['log']> extends [string, ...infer Rest]
          ? Rest
          : never
      ) =>
        logs
          .about({ execution_id: info.workflowId, run_id, workflow_name: info.workflowType })
          [level](message, attributes as Record<string, unknown>),
    };
    return { tramontane: { report: { fn: report }, log: { fn: writeLog } } };
  }

  async function findWorkflow(_meta: Json, wanted: { workflow_name: string; deployment_name: string | null }) {
    const body = JSON.stringify(wanted);
    try {
      return (await api.post<Route>('/v1/workflows/workers/find-workflow', body)).data;
    } catch (error) {
      // Temporal retries transient errors.
      if (!(error instanceof Refused)) throw error;
      const message = `No workflow '${wanted.workflow_name}' is registered and active.`;
      throw toApplicationFailure({ message, type: 'ChildNotStarted', non_retryable: true });
    }
  }

  const running = worker.run();
  const registered = await keepRegistered({
    api,
    request,
    signal: stopping.signal,
    onWarning: (message) => log.warn(message),
  }).catch(async (error) => {
    worker.shutdown();
    await running;
    await connection.close();
    throw error;
  });
  const ended = Promise.all([running, registered.ended]).then(() => undefined);
  ended.catch(() => undefined);

  return {
    name: worker_name,
    deployment: deployment_name,
    workflows: [...workflows.keys()],
    steps: [...steps.keys()],
    status: () => ({
      turns: worker.getStatus().numInFlightWorkflowActivations,
      steps: busySteps,
      cached: worker.getStatus().numCachedWorkflows,
    }),
    ended,
    async stop(drainMs = DRAIN_MS) {
      stopping.abort();
      if (worker.getState() === 'RUNNING') worker.shutdown();
      const drained = running.then(
        () => true,
        () => true,
      );
      const late = new Promise<false>((resolve) => setTimeout(resolve, drainMs || 5000, false).unref());
      const isDrained = await Promise.race([drained, late]);
      await Promise.race([publisher.delivered(2000).then(() => logs.flush()), late]);
      leaving.abort();
      if (isDrained) await connection.close();
      await api.close();
    },
  };
}

let isInstalled = false;

/** There is one Temporal runtime per process; it must not handle signals. */
function installRuntime(runtime: typeof Runtime, log: Log): void {
  if (isInstalled) return;
  isInstalled = true;
  const quiet = () => undefined;
  const warn = (message: string, attributes?: object) => log.warn(`${message} ${JSON.stringify(attributes ?? {})}`);
  runtime.install({
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn, error: warn },
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
    shutdownSignals: [],
  });
}

function addressOf(schedulerUrl: string): string {
  return URL.canParse(schedulerUrl) && /^https?:/.test(schedulerUrl) ? new URL(schedulerUrl).host : schedulerUrl;
}
