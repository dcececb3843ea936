import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { CreateAgentRequest } from '../../../../src/agents/schema.ts';
import { api } from '../../api/api.ts';
import { Page } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { AgentForm } from './agent-form.tsx';
import { type Agent, agentQuery, agentsKey } from './queries.ts';

export function NewAgentPage() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const toast = useToast();
  const create = useMutation({
    mutationFn: (request: CreateAgentRequest) => api.post<Agent>('/v1/agents', request),
    onSuccess: async (agent) => {
      await client.invalidateQueries({ queryKey: agentsKey });
      client.setQueryData(agentQuery(agent.id).queryKey, agent);
      toast.success(`${agent.name} was created.`);
      await navigate({ to: '/agents/$agentId', params: { agentId: agent.id } });
    },
  });
  return (
    <Page title="New agent" crumbs={<Link to="/agents">Agents</Link>}>
      <AgentForm
        action="Create agent"
        error={create.error}
        isSaving={create.isPending}
        isSaved={create.isSuccess}
        onSave={create.mutate}
      />
    </Page>
  );
}
