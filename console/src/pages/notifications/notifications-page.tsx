import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { endpointsQuery, type NotificationEndpoint } from './queries.ts';

export function NotificationsPage() {
  const [isAdding, setAdding] = useState(false);
  const query = useQuery(endpointsQuery);
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      New endpoint
    </Button>
  );
  return (
    <Page title="Notifications" lead="Addresses of yours that are told what happens here." actions={add}>
      <Card flush>
        <Loaded query={query} padded>
          {(endpoints) =>
            endpoints.length === 0 ? (
              <EmptyState icon="pulse" title="No endpoint yet" action={add}>
                Add an address, and it gets a signed message when a batch ends, an execution waits or a budget is spent.
              </EmptyState>
            ) : (
              <Table
                caption="Endpoints"
                rows={endpoints}
                rowKey={({ id }) => id}
                columns={[
                  {
                    header: 'Endpoint',
                    cell: ({ id, url, description }) => (
                      <div className="breakable">
                        <Link to="/notifications/$endpointId" params={{ endpointId: id }}>
                          {url}
                        </Link>
                        {description && <div className="muted">{description}</div>}
                      </div>
                    ),
                  },
                  { header: 'Status', cell: (endpoint) => <StatusBadge endpoint={endpoint} /> },
                  {
                    header: 'Events',
                    low: true,
                    cell: ({ event_types }) => (event_types === null ? 'All' : event_types.join(', ')),
                  },
                  { header: 'Created', low: true, cell: ({ created_at }) => <Time value={created_at} /> },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {isAdding && <EndpointDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

export function StatusBadge({ endpoint: { status, failing_since } }: { endpoint: NotificationEndpoint }) {
  if (status === 'disabled') return <Badge tone="danger">Disabled</Badge>;
  return failing_since ? <Badge tone="warning">Failing</Badge> : <Badge tone="success">Enabled</Badge>;
}
