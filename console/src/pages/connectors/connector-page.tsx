import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { Credentials } from './credentials.tsx';
import { type Connector, connectorPath, connectorQuery, connectorsKey } from './queries.ts';
import { Tools } from './tools.tsx';
import { Uses } from './uses.tsx';

const route = getRouteApi('/shell/connectors/$connectorId');

export function ConnectorPage() {
  const { connectorId } = route.useParams();
  const query = useQuery(connectorQuery(connectorId));
  return <Loaded query={query}>{(connector) => <Shown connector={connector} />}</Loaded>;
}

function Shown({ connector }: { connector: Connector }) {
  const { id, name, title, description, visibility, active, blocked_by = [], server } = connector;
  const isDeclared = visibility === 'shared_global';
  const toast = useToast();
  const client = useQueryClient();
  const navigate = useNavigate();
  const refresh = () => client.invalidateQueries({ queryKey: connectorsKey });
  const change = useMutation({
    mutationFn: ({ method, path }: { method: 'post' | 'put' | 'delete'; path: string }) =>
      api[method]<{ message: string }>(`${connectorPath(id)}${path}`),
    onSuccess: async ({ message }) => {
      toast.success(message);
      await refresh();
    },
    onError: toast.error,
  });
  const remove = useRemoval({
    title: () => `Delete ${name}?`,
    body: 'Agents that name it lose its tools, and all its credentials are deleted.',
    action: 'Delete',
    run: () => api.delete(connectorPath(id)),
    done: () => `${name} was deleted.`,
    leave: () => navigate({ to: '/connectors' }),
    reload: connectorsKey,
  });
  const isMine = blocked_by.includes('user');
  const actions = (
    <div className="row">
      <Button onClick={() => change.mutate({ method: 'post', path: `/user/${isMine ? 'activate' : 'deactivate'}` })}>
        {isMine ? 'Activate for me' : 'Deactivate for me'}
      </Button>
      {visibility === 'private' && (
        <Button onClick={() => change.mutate({ method: 'put', path: '/share' })}>Share with workspace</Button>
      )}
      {visibility === 'shared_workspace' && (
        <Button onClick={() => change.mutate({ method: 'delete', path: '/share' })}>Make private</Button>
      )}
      {!isDeclared && (
        <Button look="danger" icon="trash" onClick={() => remove.ask()}>
          Delete
        </Button>
      )}
    </div>
  );
  return (
    <Page title={title ?? name} lead={description} crumbs={<Link to="/connectors">Connectors</Link>} actions={actions}>
      <Card title="Connector">
        <Facts
          facts={[
            ['Name', <code key="name">{name}</code>],
            ['Address', server ? <code key="server">{server}</code> : 'In the configuration'],
            ['Kind', connector.protocol === 'http' ? 'HTTP API' : 'MCP server'],
            [
              'Active',
              active === false ? <Badge key="active">{`No, deactivated for: ${blocked_by.join(', ')}`}</Badge> : 'Yes',
            ],
          ]}
        />
      </Card>
      <Credentials connector={connector} />
      <Tools connector={connector} />
      <Uses connector={connector} />
    </Page>
  );
}
