import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api } from '../../api/api.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice, ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { Branches } from './branches.tsx';
import { Composer } from './composer.tsx';
import styles from './conversations.module.css';
import type { Entry } from './entries.ts';
import { Entries } from './entries-view.tsx';
import { answerAll, openCalls, type Replies, type Reply } from './open-calls.ts';
import {
  agentQuery,
  branchesQuery,
  type Conversation,
  conversationPath,
  conversationQuery,
  conversationsKey,
  historyQuery,
  titlesQuery,
} from './queries.ts';
import { RestartDialog } from './restart-dialog.tsx';
import { type Item, itemsOf } from './timeline-items.ts';
import { useRun } from './use-run.ts';

const route = getRouteApi('/shell/conversations/$conversationId');

export function ConversationPage() {
  const { conversationId } = route.useParams();
  const query = useQuery(conversationQuery(conversationId));
  if (query.data) return <ConversationDetails key={conversationId} conversation={query.data} />;
  return (
    <Page title="Conversation" crumbs={<Link to="/conversations">Conversations</Link>}>
      {query.isError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton lines={8} />}
    </Page>
  );
}

function ConversationDetails({ conversation }: { conversation: Conversation }) {
  const { id } = conversation;
  const history = useQuery(historyQuery(id));
  const branches = useQuery(branchesQuery(id));
  const titles = useQuery(titlesQuery(conversation.name ? [] : [id]));
  const run = useRun(id);
  const [said, setSaid] = useState<Entry>();
  const [replies, setReplies] = useState<Replies>({});
  const [restartFrom, setRestartFrom] = useState<Item>();
  const entries = useMemo(() => merge(history.data ?? [], run.live, said), [history.data, run.live, said]);
  const items = useMemo(() => itemsOf(entries), [entries]);
  const waiting = openCalls(items);

  async function send(text: string): Promise<boolean> {
    setSaid(messageOf(text));
    const isTaken = await run.send({ inputs: text });
    setSaid(undefined);
    return isTaken;
  }
  function reply(callId: string, given: Reply): void {
    const all = { ...replies, [callId]: given };
    setReplies(all);
    const body = answerAll(waiting, all);
    if (body) void run.send(body).then(() => setReplies({}));
  }
  return (
    <Page
      title={titleOf(conversation.name || titles.data?.[id])}
      crumbs={<Link to="/conversations">Conversations</Link>}
      actions={<Actions conversation={conversation} />}
    >
      <div className={styles.conversation}>
        <div className={styles.main}>
          {history.isError ? (
            <ErrorState error={history.error} onRetry={() => void history.refetch()} />
          ) : history.data ? (
            <Entries
              items={items}
              isRunning={run.isRunning}
              branches={branches.data ?? []}
              entries={entries}
              replies={replies}
              onReply={reply}
              onRestart={setRestartFrom}
            />
          ) : (
            <Skeleton lines={6} />
          )}
          <ErrorNotice error={run.error} />
          <div className={styles.foot}>
            <Composer
              isRunning={run.isRunning}
              disabled={waiting.length > 0}
              placeholder={waiting.length > 0 ? 'Respond to the pending calls first' : 'Write a message'}
              onSend={send}
            />
          </div>
        </div>
        <aside className={`${styles.aside} stack`}>
          <About conversation={conversation} />
          <Branches branches={branches.data ?? []} count={history.data?.length ?? 0} />
        </aside>
      </div>
      {restartFrom && (
        <RestartDialog conversation={conversation} item={restartFrom} onClose={() => setRestartFrom(undefined)} />
      )}
    </Page>
  );
}

const TITLE_CHARACTERS = 120;

/** Its name, or what was said first. */
function titleOf(name: string | undefined): string {
  if (!name) return 'Conversation';
  return name.length > TITLE_CHARACTERS ? `${name.slice(0, TITLE_CHARACTERS).trimEnd()}…` : name;
}

/** Stored entries, then those of the current run, then the message being sent. */
function merge(stored: readonly Entry[], live: readonly Entry[], said: Entry | undefined): Entry[] {
  const known = new Set(stored.map(({ id }) => id));
  const fresh = live.filter(({ id }) => !known.has(id));
  const last = stored.findLast(({ type }) => type === 'message.input');
  const isStored =
    said === undefined ||
    (last?.type === 'message.input' && said.type === 'message.input' && last.content === said.content);
  return [...stored, ...(isStored ? [] : [said]), ...fresh];
}

function messageOf(content: string): Entry {
  return {
    object: 'entry',
    type: 'message.input',
    id: 'on its way',
    role: 'user',
    content,
    prefix: false,
    created_at: new Date().toISOString(),
  };
}

function About({ conversation }: { conversation: Conversation }) {
  const agentId = 'agent_id' in conversation ? conversation.agent_id : '';
  const agent = useQuery(agentQuery(agentId));
  return (
    <Card title="About">
      <Facts
        facts={[
          [
            'With',
            'agent_id' in conversation ? (
              <Link key="with" to="/agents/$agentId" params={{ agentId }}>
                {agent.data?.name ?? agentId}
              </Link>
            ) : (
              <code key="with">{conversation.model}</code>
            ),
          ],
          ...('agent_id' in conversation ? [['Version', conversation.agent_version ?? 'Current'] as const] : []),
          ['Started', <Time key="begun" value={conversation.created_at} />],
          ['ID', <code key="id">{conversation.id}</code>],
        ]}
      />
      {'instructions' in conversation && conversation.instructions && (
        <details className={styles.more}>
          <summary>Instructions</summary>
          <p className={styles.text}>{conversation.instructions}</p>
        </details>
      )}
    </Card>
  );
}

function Actions({ conversation }: { conversation: Conversation }) {
  const navigate = useNavigate();
  const remove = useRemoval({
    title: () => 'Delete this conversation?',
    body: 'All entries are deleted and an active run is stopped. Branches and files are kept.',
    action: 'Delete',
    run: () => api.delete(conversationPath(conversation.id)),
    done: () => 'The conversation was deleted.',
    leave: () => navigate({ to: '/conversations' }),
    forget: conversationQuery(conversation.id).queryKey,
    reload: conversationsKey,
  });
  return (
    <Menu
      label="Actions for this conversation"
      items={[{ label: 'Delete', danger: true, onSelect: () => remove.ask() }]}
    />
  );
}
