/** The worker, for programs that start one themselves. */
export { startWorker, type Worker, type WorkerOptions } from './create-worker.ts';
export { BadProject, findSources, loadDefinitions } from './load-definitions.ts';
