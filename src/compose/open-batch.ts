import { join } from 'node:path';
import { errorStyles } from '../app.ts';
import { type BatchService, type CallEndpoint, createBatchService } from '../batch/index.ts';
import type { Config } from '../config/config.ts';
import type { FileService } from '../files/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import { createBlobs } from '../kit/blobs/index.ts';
import type { Database } from '../kit/db/index.ts';
import { type AnyRoute, callRoute, styleOf } from '../kit/http/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';

/** Batches over the very routes that clients call: what a request may say and what comes back is the same. */
export function openBatch(options: {
  config: Config;
  database: Database;
  tasks: Tasks;
  files: FileService;
  routes: AnyRoute[];
  lastArrivalMs: () => number;
  log: Logger;
}): BatchService {
  const { config, database, tasks, files, routes, log, lastArrivalMs } = options;
  const byPath = new Map(routes.filter(({ method }) => method === 'POST').map((route) => [route.path, route]));
  const callEndpoint: CallEndpoint = (endpoint, call) => {
    const route = byPath.get(endpoint);
    if (!route) throw new Error(`No room serves ${endpoint}.`);
    return callRoute(route, call, styleOf(errorStyles, endpoint));
  };
  return createBatchService({
    database,
    tasks,
    files,
    blobs: createBlobs({ dir: join(config.dataDir, 'blobs', 'batch') }),
    callEndpoint,
    serves: (endpoint) => byPath.has(endpoint),
    concurrency: config.file.batch.concurrency,
    lastArrivalMs,
    now: systemClock,
    log,
  });
}
