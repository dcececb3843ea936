import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { type OwnSession, sessionsQuery, useAccountChange } from './queries.ts';

export function SessionsCard() {
  const query = useQuery(sessionsQuery);
  const end = useAccountChange({
    run: ({ id }: OwnSession) => api.delete(`/console/api/sessions/${id}`),
    done: 'The session has ended.',
  });
  return (
    <Card title="Sessions" flush>
      <ErrorNotice error={end.error} />
      <Loaded query={query} padded>
        {({ sessions }) => (
          <Table
            caption="Sessions"
            rows={sessions}
            rowKey={({ id }) => id}
            columns={[
              {
                header: 'Browser',
                cell: (session) => (
                  <div className="row breakable">
                    {nameOf(session.user_agent)}
                    {session.is_current && <Badge tone="success">This one</Badge>}
                  </div>
                ),
              },
              { header: 'Address', low: true, cell: ({ address }) => <code>{address}</code> },
              { header: 'Since', low: true, cell: ({ created_at }) => <Time value={created_at} /> },
              { header: 'Last used', cell: ({ last_seen_at }) => <Time value={last_seen_at} /> },
              {
                header: 'Actions',
                kind: 'actions',
                cell: (session) =>
                  !session.is_current && (
                    <Button small onClick={() => end.mutate(session)}>
                      {`End session from ${session.address}`}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

/** The browser's name from the header in which it introduces itself. */
function nameOf(userAgent: string): string {
  const [, name] = /(Firefox|Edg|OPR|Chrome|Safari)\/[\d.]+/.exec(userAgent) ?? [];
  return name === 'Edg' ? 'Edge' : name === 'OPR' ? 'Opera' : (name ?? (userAgent.slice(0, 60) || 'Unknown'));
}
