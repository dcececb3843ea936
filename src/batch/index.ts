export { batchErrors } from './errors.ts';
export { batchRoutes } from './routes.ts';
export type { CallEndpoint } from './run/execute-line.ts';
export { createPace } from './run/pace.ts';
export type { BatchJob } from './schema.ts';
export { type BatchService, createBatchService } from './service.ts';
export { type InteractiveRequests, trackInteractiveRequests } from './track-interactive-requests.ts';
