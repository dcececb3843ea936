import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Time } from '../../ui/time.tsx';
import { webhooksQuery } from './queries.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

export function WebhooksPage() {
  const query = useQuery(webhooksQuery);
  return (
    <ListPage
      title="Webhooks"
      lead="Addresses that providers post to, to start workflows and agents."
      add={{ label: 'New webhook', dialog: (close) => <WebhookDialog onClose={close} /> }}
      empty={{
        icon: 'arrow',
        title: 'No webhook yet',
        text: 'GitHub, Slack or any program posts to it; triggers start a workflow or an agent.',
      }}
      query={query}
      rowsOf={(webhooks) => webhooks}
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
        { header: 'Provider', low: true, cell: ({ provider }) => <Badge>{provider}</Badge> },
        {
          header: 'State',
          cell: ({ url_verified }) =>
            url_verified ? <Badge tone="success">Receiving</Badge> : <Badge>Nothing received</Badge>,
        },
        { header: 'Created', low: true, cell: ({ created_at }) => <Time value={created_at} /> },
      ]}
    />
  );
}
