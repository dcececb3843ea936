import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { eventsQuery, type Trigger, triggerPath, triggersQuery, webhooksKey } from './queries.ts';
import { TriggerDialog } from './trigger-dialog.tsx';

export function Triggers({ webhookId }: { webhookId: string }) {
  const [opened, setOpened] = useState<'new' | Trigger>();
  const query = useQuery(triggersQuery(webhookId));
  const remove = useRemoval<Trigger>({
    title: ({ title }) => `Delete ${title}?`,
    body: 'What it has started goes on.',
    action: 'Delete trigger',
    run: ({ id }) => api.delete(triggerPath(id)),
    done: ({ title }) => `${title} was deleted.`,
    reload: webhooksKey,
  });
  const add = (
    <Button small icon="plus" onClick={() => setOpened('new')}>
      New trigger
    </Button>
  );
  return (
    <Card flush title="Triggers" actions={add}>
      <Loaded query={query} padded>
        {(triggers) =>
          triggers.length === 0 ? (
            <EmptyState icon="flow" title="No trigger yet">
              Without one, deliveries are listed and start nothing.
            </EmptyState>
          ) : (
            <Table
              caption="Triggers"
              rows={triggers}
              rowKey={({ id }) => id}
              columns={[
                {
                  header: 'Trigger',
                  cell: ({ title, filters }) => (
                    <div className="breakable">
                      <strong>{title}</strong>
                      {filters && <div className="muted">{filters}</div>}
                    </div>
                  ),
                },
                {
                  header: 'Starts',
                  low: true,
                  cell: ({ action, handler }) => <Badge>{`${handler}: ${action.primitive_id}`}</Badge>,
                },
                {
                  header: 'Actions',
                  kind: 'actions',
                  cell: (trigger) => (
                    <div className="row">
                      <Button small icon="list" onClick={() => setOpened(trigger)}>
                        Events
                      </Button>
                      <Menu
                        label={`Actions of ${trigger.title}`}
                        items={[{ label: 'Delete', danger: true, onSelect: () => remove.ask(trigger) }]}
                      />
                    </div>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {opened === 'new' && <TriggerDialog webhookId={webhookId} onClose={() => setOpened(undefined)} />}
      {typeof opened === 'object' && <EventsDialog trigger={opened} onClose={() => setOpened(undefined)} />}
    </Card>
  );
}

const TONES = {
  SUBMITTED: 'warning',
  TRIGGERED: 'success',
  TRIGGER_FAILED: 'danger',
  SUBMISSION_FAILED: 'danger',
} as const;

function EventsDialog({ trigger, onClose }: { trigger: Trigger; onClose: () => void }) {
  const query = useQuery(eventsQuery(trigger.id));
  return (
    <Dialog
      title={`Events of ${trigger.title}`}
      wide
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <Loaded query={query}>
        {(events) =>
          events.length === 0 ? (
            <EmptyState icon="list" title="Nothing has matched yet" />
          ) : (
            <Table
              caption="Events"
              rows={events}
              rowKey={({ event_id }) => event_id}
              columns={[
                { header: 'Status', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
                { header: 'Reason', cell: ({ detail }) => <span className="breakable">{detail ?? '–'}</span> },
                {
                  header: 'Started',
                  cell: ({ url }) => <span className="breakable">{url?.split('/').at(-1) ?? '–'}</span>,
                },
                { header: 'Received', low: true, cell: ({ received_at }) => <Time value={received_at} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Dialog>
  );
}
