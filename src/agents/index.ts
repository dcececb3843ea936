export { agentErrors } from './errors.ts';
export { readSkills } from './read-skills.ts';
export { agentRoutes } from './routes.ts';
export { AgentVersion, MetadataDict } from './schema.ts';
export { type AgentService, createAgentService } from './service.ts';
