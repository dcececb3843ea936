/** The worker, for programs that start one themselves. */
export { startWorker } from './create-worker.ts';
export { BadProject, findSources, loadDefinitions } from './load-definitions.ts';
export type { Worker, WorkerOptions } from './worker-options.ts';
