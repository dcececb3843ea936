export { traceErrors } from './errors.ts';
export { traceRoutes } from './routes.ts';
export { createTraceService, type TraceService } from './service.ts';
