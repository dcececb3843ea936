import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreateAgentRequest } from '../../../../src/agents/schema.ts';
import { api } from '../../api/api.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { AgentForm } from './agent-form.tsx';
import { type Agent, agentPath, agentQuery, agentsKey } from './queries.ts';
import { Versions } from './versions.tsx';

const route = getRouteApi('/shell/agents/$agentId');

export function AgentPage() {
  const { agentId } = route.useParams();
  const query = useQuery(agentQuery(agentId));
  if (query.data) return <AgentDetails agent={query.data} />;
  return (
    <Page title="Agent" crumbs={<Link to="/agents">Agents</Link>}>
      {query.isError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton lines={8} />}
    </Page>
  );
}

function AgentDetails({ agent }: { agent: Agent }) {
  const [tab, setTab] = useState<'definition' | 'versions'>('definition');
  const client = useQueryClient();
  const toast = useToast();
  const save = useMutation({
    mutationFn: (request: CreateAgentRequest) => api.patch<Agent>(agentPath(agent.id), request),
    onSuccess: async (saved) => {
      client.setQueryData(agentQuery(agent.id).queryKey, saved);
      await client.invalidateQueries({ queryKey: agentsKey });
      toast.success(`Version ${saved.version} is now current.`);
    },
  });
  return (
    <Page
      title={agent.name}
      lead={agent.description}
      crumbs={<Link to="/agents">Agents</Link>}
      actions={<Actions agent={agent} />}
    >
      <Tabs
        label="Agent sections"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'definition', label: 'Definition' },
          { value: 'versions', label: `Versions ${agent.versions.length}` },
        ]}
      >
        {tab === 'definition' ? (
          <AgentForm
            // A version saved or restored elsewhere resets the form.
            key={agent.version}
            agent={agent}
            action="Save as new version"
            error={save.error}
            isSaving={save.isPending}
            isSaved={save.isSuccess}
            onSave={save.mutate}
          >
            <Card title="About">
              <Facts
                facts={[
                  ['Version', agent.version],
                  ['Updated', <Time key="changed" value={agent.updated_at} />],
                  ['Created', <Time key="made" value={agent.created_at} />],
                  ['ID', <code key="id">{agent.id}</code>],
                ]}
              />
            </Card>
          </AgentForm>
        ) : (
          <Versions agent={agent} />
        )}
      </Tabs>
    </Page>
  );
}

function Actions({ agent }: { agent: Agent }) {
  const navigate = useNavigate();
  const remove = useRemoval({
    title: () => `Delete ${agent.name}?`,
    body: `All ${agent.versions.length} versions are deleted. Its conversations stay readable but cannot be continued. Handoffs to it will fail.`,
    action: 'Delete',
    run: () => api.delete(agentPath(agent.id)),
    done: () => `${agent.name} was deleted.`,
    leave: () => navigate({ to: '/agents' }),
    forget: agentQuery(agent.id).queryKey,
    reload: agentsKey,
  });
  return (
    <>
      <Link to="/conversations/new" search={{ agent: agent.id }} className={buttonClass({ look: 'primary' })}>
        <Icon name="chat" size={17} />
        Chat
      </Link>
      <Menu label="Actions for this agent" items={[{ label: 'Delete', danger: true, onSelect: () => remove.ask() }]} />
    </>
  );
}
