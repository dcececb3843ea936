import { z } from 'zod';
import { queryTime } from './times.ts';

const number = z.union([z.int(), z.number()]);
const ScalarMetric = z.object({ value: number }).meta({ id: 'ScalarMetric' });
const TimeSeriesMetric = z.object({ value: z.array(z.tuple([z.int(), number])) }).meta({ id: 'TimeSeriesMetric' });

export const WorkflowMetrics = z
  .object({
    execution_count: ScalarMetric,
    success_count: ScalarMetric,
    error_count: ScalarMetric,
    average_latency_ms: ScalarMetric,
    latency_over_time: TimeSeriesMetric,
    retry_rate: ScalarMetric,
  })
  .meta({ id: 'WorkflowMetrics' });
export type WorkflowMetrics = z.output<typeof WorkflowMetrics>;

export const MetricsParams = z.strictObject({ workflow_name: z.string() });
export const MetricsQuery = z.strictObject({ start_time: queryTime().optional(), end_time: queryTime().optional() });
export type MetricsQuery = z.output<typeof MetricsQuery>;
