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
import { webhooksQuery } from './queries.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

export function WebhooksPage() {
  const [isAdding, setAdding] = useState(false);
  const query = useQuery(webhooksQuery);
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      New webhook
    </Button>
  );
  return (
    <Page title="Webhooks" lead="Addresses that providers post to, to start workflows and agents." actions={add}>
      <Card flush>
        <Loaded query={query} padded>
          {(webhooks) =>
            webhooks.length === 0 ? (
              <EmptyState icon="arrow" title="No webhook yet" action={add}>
                GitHub, Slack or any program posts to it; triggers start a workflow or an agent.
              </EmptyState>
            ) : (
              <Table
                caption="Webhooks"
                rows={webhooks}
                rowKey={({ id }) => id}
                columns={[
                  {
                    header: 'Webhook',
                    cell: ({ id, name }) => (
                      <Link className="breakable" to="/webhooks/$webhookId" params={{ webhookId: id }}>
                        {name}
                      </Link>
                    ),
                  },
                  { header: 'Provider', cell: ({ provider }) => <Badge>{provider}</Badge> },
                  {
                    header: 'State',
                    cell: ({ url_verified }) =>
                      url_verified ? <Badge tone="success">Receiving</Badge> : <Badge>Nothing received</Badge>,
                  },
                  { header: 'Created', low: true, cell: ({ created_at }) => <Time value={created_at} /> },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {isAdding && <WebhookDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}
