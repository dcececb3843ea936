import { errorStyles } from '../app.ts';
import { type BatchService, type CallEndpoint, createBatchService } from '../batch/index.ts';
import type { Config } from '../config/config.ts';
import type { FileService } from '../files/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { Announce } from '../kit/events/index.ts';
import type { WatchQueue } from '../kit/fair-queue/index.ts';
import { type AnyRoute, callRoute, styleOf } from '../kit/http/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import type { RecordSpan } from '../metering/index.ts';
import type { Authority } from '../tenants/index.ts';
import { openBlobs } from './open-blobs.ts';

/** Batch jobs call the same routes as clients, so requests and responses have the same shape. */
export function openBatch(options: {
  config: Config;
  database: Database;
  tasks: Tasks;
  files: FileService;
  routes: AnyRoute[];
  authority: Authority;
  lastArrivalMs: () => number;
  watch: WatchQueue;
  recordSpan: RecordSpan;
  announce: Announce;
  log: Logger;
}): BatchService {
  const { config, routes, ...ports } = options;
  const byPath = new Map(routes.filter(({ method }) => method === 'POST').map((route) => [route.path, route]));
  const callEndpoint: CallEndpoint = (endpoint, call) => {
    const route = byPath.get(endpoint);
    if (!route) throw new Error(`No room serves ${endpoint}.`);
    return callRoute(route, call, styleOf(errorStyles, endpoint));
  };
  return createBatchService({
    ...ports,
    blobs: openBlobs(config, 'batch'),
    callEndpoint,
    serves: (endpoint) => byPath.has(endpoint),
    concurrency: config.file.batch.concurrency,
    perTenantMax: config.file.batch.per_organization,
    requestMs: config.file.batch.request_timeout_seconds * 1000,
    now: systemClock,
  });
}
