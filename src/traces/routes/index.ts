import type { AnyRoute } from '../../kit/http/index.ts';
import type { TraceService } from '../service/trace-service.ts';
import { contentRoutes } from './contents.ts';
import { exportRoutes } from './exports.ts';
import { feedbackRoutes } from './feedback.ts';
import { logRoutes } from './logs.ts';
import { spanRoutes } from './spans.ts';

export function traceRoutes(traces: TraceService): AnyRoute[] {
  return [
    ...spanRoutes(traces),
    ...logRoutes(traces),
    ...contentRoutes(traces),
    ...feedbackRoutes(traces),
    ...exportRoutes(traces),
  ];
}
