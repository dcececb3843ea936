export { workflowRoutes } from './routes/index.ts';
export { createWorkflowService, type WorkflowService } from './service/workflow-service.ts';
export { connect, ping } from './temporal/connect.ts';
