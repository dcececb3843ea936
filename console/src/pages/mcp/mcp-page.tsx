import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { McpCallers } from '../../../../src/console/schema/mcp.ts';
import { api } from '../../api/api.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { clients } from './snippets.ts';

const REFRESH_MS = 5000;
const callers = {
  queryKey: ['mcp', 'callers'],
  queryFn: () => api.get<McpCallers>('/console/api/mcp'),
  refetchInterval: REFRESH_MS,
};

export function McpPage() {
  const [chosen, setChosen] = useState(clients[0]?.id ?? '');
  const client = clients.find(({ id }) => id === chosen);
  const query = useQuery(callers);
  return (
    <Page
      title="MCP"
      lead="Offers the skills, prompts and libraries of this workspace to editors and agents."
      actions={
        <Link className={buttonClass({ look: 'primary' })} to="/organization/api-keys">
          Create a key
        </Link>
      }
    >
      <Card title="Connect a client">
        <div className="stack">
          <Segments
            label="Client"
            options={clients.map(({ id, name }) => ({ value: id, label: name }))}
            value={chosen}
            onChange={setChosen}
          />
          {client && <CodeBlock title={client.file} code={client.snippet(`${window.location.origin}/mcp`)} />}
          <p className="muted">
            The key is read from the variable TRAMONTANE_API_KEY, or asked for. A client sees what its key may see.
          </p>
        </div>
      </Card>
      <Card flush title="Who is connected">
        <Loaded query={query} padded>
          {({ callers: found }) =>
            found.length === 0 ? (
              <EmptyState icon="branch" title="Nobody has connected yet">
                Clients of this workspace appear here with their first call. The list begins anew when the server
                starts.
              </EmptyState>
            ) : (
              <Table
                caption="Clients"
                rows={found}
                rowKey={({ key_id, client: name }) => `${key_id} ${name}`}
                columns={[
                  { header: 'Client', cell: ({ client: name }) => <span className="breakable">{name}</span> },
                  { header: 'Key', cell: ({ key_name }) => key_name },
                  { header: 'Calls', kind: 'end', cell: ({ calls }) => formatNumber(calls) },
                  { header: 'Refused', kind: 'end', low: true, cell: ({ refused }) => formatNumber(refused) },
                  { header: 'Last call', cell: ({ last_at }) => <Time value={last_at} /> },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}
