import { createPipelines } from '../online/scan-pipelines.ts';
import type { EvaluationPorts } from '../ports.ts';
import { createRunRunner } from '../run/run-runner.ts';
import { createOptimizationService, type OptimizationService } from './optimizations.ts';
import { createPipelineService, type PipelineService } from './pipelines.ts';
import { createProjectService, type ProjectService } from './projects.ts';
import { createRunService, type RunService } from './runs.ts';
import { createSpanEvaluationService, type SpanEvaluationService } from './span-evaluations.ts';

export type EvaluationService = {
  projects: ProjectService;
  runs: RunService;
  optimizations: OptimizationService;
  pipelines: PipelineService;
  spans: SpanEvaluationService;
  start(): Promise<void>;
  stop(limitMs: number): Promise<void>;
};

export function createEvaluationService(ports: EvaluationPorts): EvaluationService {
  const online = createPipelines(ports);
  const runner = createRunRunner(ports, online.queues);
  const runs = createRunService(ports);
  return {
    projects: createProjectService(ports),
    runs,
    optimizations: createOptimizationService(ports, runs),
    pipelines: createPipelineService(ports),
    spans: createSpanEvaluationService(ports),
    async start() {
      runner.start();
      await online.start();
    },
    async stop(limitMs) {
      await online.stop();
      await runner.stop(limitMs);
    },
  };
}
