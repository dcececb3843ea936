import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { usePages } from '../../ui/use-pages.ts';
import styles from './agents.module.css';
import { type Agent, agentsQuery, pageSize } from './queries.ts';

export function AgentsPage() {
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim());
  const pages = usePages(search);
  const query = useQuery(agentsQuery(search, pages.cursor));
  const add = (
    <Link to="/agents/new" className={buttonClass({ look: 'primary' })}>
      <Icon name="plus" size={17} />
      New agent
    </Link>
  );
  return (
    <Page title="Agents" lead="Models with instructions, tools and settings, saved as versioned agents." actions={add}>
      <SearchField label="Search agents" value={typed} onChange={(event) => setTyped(event.target.value)} />
      <Card flush>
        <Loaded query={query} padded>
          {({ data, next_page_token }) =>
            data.length === 0 && pages.page === 1 ? (
              search === '' ? (
                <EmptyState icon="agent" title="No agent yet" action={add}>
                  An agent combines a model with instructions, tools and handoffs. Everyone in the workspace can use it.
                </EmptyState>
              ) : (
                <EmptyState icon="search" title="No matching agents">
                  No name or description contains “{search}”.
                </EmptyState>
              )
            ) : (
              <>
                <AgentTable agents={data} />
                <Pager
                  page={pages.page}
                  pageSize={pageSize}
                  hasNext={Boolean(next_page_token)}
                  onPage={(page) => pages.goTo(page, next_page_token)}
                />
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function AgentTable({ agents }: { agents: readonly Agent[] }) {
  return (
    <Table
      caption="Agents"
      rows={agents}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Agent',
          cell: ({ id, name, description }) => (
            <div>
              <Link to="/agents/$agentId" params={{ agentId: id }} className={`${tableStyles.link} breakable`}>
                {name}
              </Link>
              {description && <div className={`muted ${styles.description}`}>{description}</div>}
            </div>
          ),
        },
        { header: 'Model', low: true, cell: ({ model }) => <code className="breakable">{model}</code> },
        {
          header: 'Tools',
          low: true,
          cell: ({ tools = [] }) => (
            <div className="row">
              {tools.map((tool) => (
                <Badge key={nameOf(tool)}>{nameOf(tool)}</Badge>
              ))}
            </div>
          ),
        },
        { header: 'Version', kind: 'end', cell: ({ version }) => version },
        { header: 'Updated', low: true, cell: ({ updated_at }) => <Time value={updated_at} /> },
        {
          header: 'Actions',
          kind: 'actions',
          cell: ({ id, name }) => (
            <Link
              to="/conversations/new"
              search={{ agent: id }}
              className={buttonClass({ small: true })}
              aria-label={`Chat with ${name}`}
            >
              Chat
            </Link>
          ),
        },
      ]}
    />
  );
}

function nameOf(tool: NonNullable<Agent['tools']>[number]): string {
  if (tool.type === 'function') return tool.function.name;
  if (tool.type === 'connector') return tool.connector_id;
  return tool.type.replaceAll('_', ' ');
}
