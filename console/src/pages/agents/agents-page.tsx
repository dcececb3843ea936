import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { Time } from '../../ui/time.tsx';
import { usePages } from '../../ui/use-pages.ts';
import styles from './agents.module.css';
import { type Agent, agentsQuery, pageSize } from './queries.ts';

export function AgentsPage() {
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim());
  const pages = usePages(search);
  const query = useQuery(agentsQuery(search, pages.cursor));
  const link = (
    <Link to="/agents/new" className={buttonClass({ look: 'primary' })}>
      <Icon name="plus" size={17} />
      New agent
    </Link>
  );
  return (
    <ListPage
      title="Agents"
      lead="Models with instructions, tools and settings, saved as versioned agents."
      add={{ link }}
      search={{
        ...{ label: 'Search agents', value: typed, onChange: setTyped, nothing: 'No matching agents' },
        why: `No name or description contains “${search}”.`,
      }}
      query={query}
      rowsOf={({ data }) => data}
      rowKey={({ id }) => id}
      isFirstPage={pages.page === 1}
      empty={{
        icon: 'agent',
        title: 'No agent yet',
        text: 'An agent combines a model with instructions, tools and handoffs. Everyone in the workspace can use it.',
      }}
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
      footer={({ next_page_token }) => (
        <Pager
          page={pages.page}
          pageSize={pageSize}
          hasNext={Boolean(next_page_token)}
          onPage={(page) => pages.goTo(page, next_page_token)}
        />
      )}
    />
  );
}

function nameOf(tool: NonNullable<Agent['tools']>[number]): string {
  if (tool.type === 'function') return tool.function.name;
  if (tool.type === 'connector') return tool.connector_id;
  return tool.type.replaceAll('_', ' ');
}
