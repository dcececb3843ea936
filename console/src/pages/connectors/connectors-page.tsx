import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { usePages } from '../../ui/use-pages.ts';
import { NewConnectorDialog } from './new-connector-dialog.tsx';
import { type Connector, connectorsQuery, pageSize } from './queries.ts';

const SHARED: Record<Connector['visibility'], string> = {
  private: 'You',
  shared_workspace: 'Workspace',
  shared_org: 'Organization',
  shared_global: 'Declared by the operator',
};

export function ConnectorsPage() {
  const pages = usePages('');
  const query = useQuery(connectorsQuery(pages.cursor));
  return (
    <ListPage
      title="Connectors"
      lead="Tools of other servers that models may use, with your credentials."
      add={{ label: 'Add connector', dialog: (close) => <NewConnectorDialog onClose={close} /> }}
      query={query}
      rowsOf={({ items }) => items}
      rowKey={({ id }) => id}
      isFirstPage={pages.page === 1}
      empty={{
        icon: 'branch',
        title: 'No connector yet',
        text: 'Add an MCP server or an HTTP API. Conversations and agents can use its tools.',
      }}
      columns={[
        {
          header: 'Connector',
          cell: ({ id, name, title, description }) => (
            <div>
              <Link
                to="/connectors/$connectorId"
                params={{ connectorId: id }}
                className={`${tableStyles.link} breakable`}
              >
                {title ?? name}
              </Link>
              {description && <div className="muted">{description}</div>}
            </div>
          ),
        },
        { header: 'Kind', low: true, cell: ({ protocol }) => (protocol === 'http' ? 'HTTP API' : 'MCP server') },
        { header: 'For', low: true, cell: ({ visibility }) => SHARED[visibility] },
        {
          header: 'Status',
          cell: ({ active, is_authenticated }) =>
            active === false ? (
              <Badge>Not active</Badge>
            ) : is_authenticated === false ? (
              <Badge tone="warning">Sign in</Badge>
            ) : (
              <Badge tone="success" dot>
                Active
              </Badge>
            ),
        },
      ]}
      footer={({ pagination }) => (
        <Pager
          page={pages.page}
          pageSize={pageSize}
          hasNext={Boolean(pagination.next_cursor)}
          onPage={(page) => pages.goTo(page, pagination.next_cursor)}
        />
      )}
    />
  );
}
