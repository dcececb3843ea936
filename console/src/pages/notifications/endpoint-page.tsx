import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { NotificationSecret } from '../../../../src/notifications/schema/endpoints.ts';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { StatusBadge } from './notifications-page.tsx';
import {
  type Delivery,
  deliveriesQuery,
  endpointPath,
  endpointQuery,
  endpointsKey,
  type NotificationEndpoint,
} from './queries.ts';

export function EndpointPage() {
  const { endpointId } = useParams({ from: '/shell/notifications/$endpointId' });
  const query = useQuery(endpointQuery(endpointId));
  return <Loaded query={query}>{(endpoint) => <Endpoint endpoint={endpoint} />}</Loaded>;
}

function Endpoint({ endpoint }: { endpoint: NotificationEndpoint }) {
  const { id, url, status, disabled_reason, event_types } = endpoint;
  const [secret, setSecret] = useState<string>();
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const toast = useToast();
  const refresh = () => client.invalidateQueries({ queryKey: endpointsKey });
  const act = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onSuccess: refresh,
    onError: toast.error,
  });
  const isOn = status === 'enabled';
  const rotate = async () => {
    const body = 'Messages have signatures with both secrets for a day.';
    if (!(await confirm({ title: 'Make a new secret?', body, action: 'Make secret' }))) return;
    act.mutate(async () => setSecret((await api.post<NotificationSecret>(`${endpointPath(id)}/rotate-secret`)).secret));
  };
  const { ask: remove } = useRemoval({
    title: () => 'Delete this endpoint?',
    body: 'Its log goes with it.',
    action: 'Delete endpoint',
    run: () => api.delete(endpointPath(id)),
    done: () => 'The endpoint was deleted.',
    leave: () => navigate({ to: '/notifications' }),
    reload: endpointsKey,
  });
  return (
    <Page
      title={url}
      lead={event_types === null ? 'Hears all events.' : `Hears ${event_types.join(', ')}.`}
      crumbs={<Link to="/notifications">Notifications</Link>}
      actions={
        <>
          <StatusBadge endpoint={endpoint} />
          <Button
            icon="play"
            disabled={!isOn}
            busy={act.isPending}
            onClick={() => act.mutate(() => api.post(`${endpointPath(id)}/test`))}
          >
            Send test
          </Button>
          <Menu
            label="Actions of the endpoint"
            items={[
              {
                label: isOn ? 'Disable' : 'Enable',
                onSelect: () =>
                  act.mutate(() => api.patch(endpointPath(id), { status: isOn ? 'disabled' : 'enabled' })),
              },
              { label: 'New secret', onSelect: () => void rotate() },
              { label: 'Delete', danger: true, onSelect: () => remove() },
            ]}
          />
        </>
      }
    >
      {disabled_reason && <Notice tone="danger">{disabled_reason}</Notice>}
      <Deliveries
        id={id}
        onReplay={(delivery) => act.mutate(() => api.post(`${endpointPath(id)}/deliveries/${delivery.id}/replay`))}
      />
      {secret && (
        <ShownOnce
          title="New signing secret"
          secret={secret}
          notice="Copy the secret now: it is shown once. The one before is valid for another day."
          onClose={() => setSecret(undefined)}
        />
      )}
    </Page>
  );
}

const TONES = { pending: 'warning', delivered: 'success', failed: 'danger' } as const;

function Deliveries({ id, onReplay }: { id: string; onReplay: (delivery: Delivery) => void }) {
  const query = useQuery(deliveriesQuery(id));
  return (
    <Card flush title="Deliveries">
      <Loaded query={query} padded>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <EmptyState icon="list" title="Nothing was sent yet" />
          ) : (
            <Table
              caption="Deliveries"
              rows={deliveries}
              rowKey={(delivery) => delivery.id}
              columns={[
                {
                  header: 'Event',
                  cell: ({ event_type, error, response_status, attempts }) => (
                    <div className="breakable">
                      <code>{event_type}</code>
                      <div className="small muted">
                        {error ?? (response_status ? `Status ${response_status}` : '')}
                        {attempts > 1 ? ` (attempt ${attempts})` : ''}
                      </div>
                    </div>
                  ),
                },
                { header: 'Status', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
                { header: 'Created', low: true, cell: ({ created_at }) => <Time value={created_at} /> },
                {
                  header: 'Actions',
                  kind: 'actions',
                  cell: (delivery) => (
                    <Button
                      small
                      icon="refresh"
                      disabled={delivery.status === 'pending'}
                      onClick={() => onReplay(delivery)}
                    >
                      Replay
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
