import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { nameOf, useNames } from '../../api/names.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './conversations.module.css';
import { type Conversation, conversationsQuery, pageSize, titlesQuery } from './queries.ts';

export function ConversationsPage() {
  const [page, setPage] = useState(1);
  const query = useQuery(conversationsQuery(page - 1));
  const add = (
    <Link to="/conversations/new" className={buttonClass({ look: 'primary' })}>
      <Icon name="plus" size={17} />
      New conversation
    </Link>
  );
  return (
    <Page
      title="Conversations"
      lead="Your conversations with models and agents, from the console or the API. Only you can see them."
      actions={add}
    >
      <Card flush>
        <Loaded query={query} padded>
          {(conversations) =>
            conversations.length === 0 && page === 1 ? (
              <EmptyState icon="chat" title="No conversation yet" action={add}>
                Talk to a model or an agent. You can continue a conversation later or restart it from any entry.
              </EmptyState>
            ) : (
              <>
                <ConversationTable conversations={conversations} />
                <Pager page={page} onPage={setPage} pageSize={pageSize} hasNext={conversations.length === pageSize} />
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function ConversationTable({ conversations }: { conversations: readonly Conversation[] }) {
  const names = useNames(conversations.map((one) => ('agent_id' in one ? one.agent_id : undefined)));
  const titles = useQuery(titlesQuery(conversations.filter(({ name }) => !name).map(({ id }) => id)));
  return (
    <Table
      caption="Conversations"
      rows={conversations}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Conversation',
          cell: ({ id, name, description }) => (
            <div>
              <Link
                to="/conversations/$conversationId"
                params={{ conversationId: id }}
                className={`${tableStyles.link} breakable ${styles.name}`}
              >
                {name || titles.data?.[id] || 'Untitled conversation'}
              </Link>
              {description && <div className={`muted ${styles.description}`}>{description}</div>}
            </div>
          ),
        },
        {
          header: 'With',
          low: true,
          cell: (conversation) =>
            'agent_id' in conversation ? (
              <Link to="/agents/$agentId" params={{ agentId: conversation.agent_id }} className={styles.with}>
                {nameOf(names, conversation.agent_id, 'agent')}
              </Link>
            ) : (
              <code className="breakable">{conversation.model}</code>
            ),
        },
        {
          header: 'Last activity',
          cell: ({ updated_at }) => (
            <span className="nowrap">
              <Time value={updated_at} />
            </span>
          ),
        },
      ]}
    />
  );
}
