import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { type Connector, toolsQuery, usesQuery } from './queries.ts';

/** Who uses it, its health, and what failed last. Without an admin role one sees one's own use. */
export function Uses({ connector: { id } }: { connector: Connector }) {
  // The list of tools is read first, because that is what tells whether the server responds.
  const { isFetched } = useQuery(toolsQuery(id));
  const query = useQuery({ ...usesQuery(id), enabled: isFetched });
  return (
    <Card title="Use and health">
      <Loaded query={query}>
        {({ checked_at, last_error, total, uses }) => (
          <div className="stack">
            <Facts
              facts={[
                ['Tools last read', checked_at ? <Time key="checked" value={checked_at} /> : 'Not noted'],
                [
                  'Health',
                  last_error ? (
                    <span key="health" className="breakable">
                      <Badge tone="danger">Fails</Badge> {last_error}
                    </span>
                  ) : checked_at ? (
                    <Badge key="health" tone="success">
                      Responds
                    </Badge>
                  ) : (
                    'Not known'
                  ),
                ],
                ['Calls', `${total.calls}, of which ${total.failures} failed`],
                ['People', String(total.users)],
              ]}
            />
            {uses.length > 0 && (
              <Table
                caption="People who use it"
                rows={uses}
                rowKey={({ user_id, workspace_id }) => `${user_id} ${workspace_id}`}
                columns={[
                  {
                    header: 'Person',
                    cell: ({ email, user_id }) => <span className="breakable">{email ?? user_id}</span>,
                  },
                  { header: 'Calls', kind: 'end', cell: ({ calls }) => calls },
                  { header: 'Failed', kind: 'end', cell: ({ failures }) => failures },
                  { header: 'Last used', low: true, cell: ({ last_used_at }) => <Time value={last_used_at} /> },
                  {
                    header: 'Last error',
                    cell: ({ last_error: error, last_failed_at }) =>
                      error && last_failed_at ? (
                        <div>
                          {error} <span className="muted">{<Time value={last_failed_at} />}</span>
                        </div>
                      ) : (
                        'None'
                      ),
                  },
                ]}
              />
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}
