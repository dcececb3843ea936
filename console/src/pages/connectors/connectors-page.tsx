import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
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
  const [isAdding, setAdding] = useState(false);
  const pages = usePages('');
  const query = useQuery(connectorsQuery(pages.cursor));
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      Add connector
    </Button>
  );
  return (
    <Page title="Connectors" lead="Tools of other servers that models may use, with your credentials." actions={add}>
      <Card flush>
        <Loaded query={query} padded>
          {({ items, pagination }) =>
            items.length === 0 && pages.page === 1 ? (
              <EmptyState icon="branch" title="No connector yet" action={add}>
                Add an MCP server or an HTTP API. Conversations and agents can use its tools.
              </EmptyState>
            ) : (
              <>
                <ConnectorTable connectors={items} />
                <Pager
                  page={pages.page}
                  pageSize={pageSize}
                  hasNext={Boolean(pagination.next_cursor)}
                  onPage={(page) => pages.goTo(page, pagination.next_cursor)}
                />
              </>
            )
          }
        </Loaded>
      </Card>
      {isAdding && <NewConnectorDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function ConnectorTable({ connectors }: { connectors: readonly Connector[] }) {
  return (
    <Table
      caption="Connectors"
      rows={connectors}
      rowKey={({ id }) => id}
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
    />
  );
}
