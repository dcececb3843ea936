export { evaluationErrors } from './errors.ts';
export { createDatasetReader } from './read-dataset.ts';
export { evaluationRoutes } from './routes/evaluation-routes.ts';
export { createEvaluationService, type EvaluationService } from './service/evaluation-service.ts';
