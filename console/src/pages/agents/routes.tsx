import { createLazyRoute } from '@tanstack/react-router';
import { AgentPage } from './agent-page.tsx';
import { AgentsPage } from './agents-page.tsx';
import { NewAgentPage } from './new-agent-page.tsx';

export const list = createLazyRoute('/shell/agents')({ component: AgentsPage });
export const create = createLazyRoute('/shell/agents/new')({ component: NewAgentPage });
export const agent = createLazyRoute('/shell/agents/$agentId')({ component: AgentPage });
