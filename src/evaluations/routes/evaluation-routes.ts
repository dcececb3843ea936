import type { AnyRoute } from '../../kit/http/index.ts';
import type { EvaluationService } from '../service/evaluation-service.ts';
import { optimizationRoutes } from './optimizations.ts';
import { pipelineRoutes } from './pipelines.ts';
import { projectRoutes } from './projects.ts';
import { runRoutes } from './runs.ts';
import { spanEvaluationRoutes } from './span-evaluations.ts';

/** The parts are there only when a route is called; documents are made without services. */
export function evaluationRoutes(evaluations: EvaluationService): AnyRoute[] {
  const { projects, runs, optimizations, pipelines, spans } = evaluations ?? {};
  return [
    ...projectRoutes(projects),
    ...runRoutes(runs),
    ...optimizationRoutes(optimizations),
    ...pipelineRoutes(pipelines),
    ...spanEvaluationRoutes(spans),
  ];
}
