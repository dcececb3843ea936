import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { WebhookSigningSecret } from '../../../../src/webhooks/schema/webhooks.ts';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { deliveriesQuery, type Webhook, webhookPath, webhookQuery, webhooksKey } from './queries.ts';
import { Triggers } from './triggers.tsx';

export function WebhookPage() {
  const { webhookId } = useParams({ from: '/shell/webhooks/$webhookId' });
  const query = useQuery(webhookQuery(webhookId));
  return <Loaded query={query}>{(webhook) => <WebhookView webhook={webhook} />}</Loaded>;
}

function WebhookView({ webhook: { id, name, url, provider } }: { webhook: Webhook }) {
  const [secret, setSecret] = useState<string>();
  const navigate = useNavigate();
  const toast = useToast();
  const remove = useRemoval({
    title: () => `Delete ${name}?`,
    body: 'Its triggers go with it, and the provider gets an error from then on.',
    action: 'Delete webhook',
    run: () => api.delete(webhookPath(id)),
    done: () => `${name} was deleted.`,
    leave: () => navigate({ to: '/webhooks' }),
    reload: webhooksKey,
  });
  const show = useMutation({
    mutationFn: () => api.get<WebhookSigningSecret>(`${webhookPath(id)}/signing-secret`),
    onSuccess: ({ signing_secret }) => setSecret(signing_secret),
    onError: toast.error,
  });
  return (
    <Page
      title={name}
      lead={`Posts of ${provider}`}
      crumbs={<Link to="/webhooks">Webhooks</Link>}
      actions={
        <>
          <Button icon="key" busy={show.isPending} onClick={() => show.mutate()}>
            Show secret
          </Button>
          <Button icon="trash" busy={remove.isPending} onClick={() => remove.ask()}>
            Delete
          </Button>
        </>
      }
    >
      <CodeBlock wrap title="Address for the provider" code={url} />
      <Triggers webhookId={id} />
      <Deliveries id={id} />
      {secret && (
        <ShownOnce
          title="Signing secret"
          secret={secret}
          notice="Enter it at the provider. It is shown until the first signed delivery."
          onClose={() => setSecret(undefined)}
        />
      )}
    </Page>
  );
}

const TONES = { queued: 'warning', handled: 'success', refused: 'danger' } as const;

function Deliveries({ id }: { id: string }) {
  const query = useQuery(deliveriesQuery(id));
  return (
    <Card flush title="Deliveries">
      <Loaded query={query} padded>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <EmptyState icon="list" title="Nothing was received yet" />
          ) : (
            <Table
              caption="Deliveries"
              rows={deliveries}
              rowKey={(delivery) => delivery.id}
              columns={[
                { header: 'Event', cell: ({ event_type }) => <code>{event_type ?? '–'}</code> },
                { header: 'Outcome', cell: ({ outcome }) => <Badge tone={TONES[outcome]}>{outcome}</Badge> },
                { header: 'Reason', cell: ({ detail }) => <span className="breakable">{detail}</span> },
                { header: 'Received', low: true, cell: ({ received_at }) => <Time value={received_at} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
