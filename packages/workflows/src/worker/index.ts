/** What runs workflows: the worker, for programs that start one themselves. */
export { startWorker, type Worker, type WorkerOptions } from './create-worker.ts';
