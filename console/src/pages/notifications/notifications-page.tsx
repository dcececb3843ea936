import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Time } from '../../ui/time.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { endpointsQuery, type NotificationEndpoint } from './queries.ts';

export function NotificationsPage() {
  const query = useQuery(endpointsQuery);
  return (
    <ListPage
      title="Notifications"
      lead="Addresses of yours that are told what happens here."
      add={{ label: 'New endpoint', dialog: (close) => <EndpointDialog onClose={close} /> }}
      empty={{
        icon: 'pulse',
        title: 'No endpoint yet',
        text: 'Add an address, and it gets a signed message when a batch ends, an execution waits or a budget is spent.',
      }}
      query={query}
      rowsOf={(endpoints) => endpoints}
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
  );
}

export function StatusBadge({ endpoint: { status, failing_since } }: { endpoint: NotificationEndpoint }) {
  if (status === 'disabled') return <Badge tone="danger">Disabled</Badge>;
  return failing_since ? <Badge tone="warning">Failing</Badge> : <Badge tone="success">Enabled</Badge>;
}
