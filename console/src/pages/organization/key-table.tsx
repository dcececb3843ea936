import type { ConsoleKey } from '../../../../src/console/schema/keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { formatDate } from '../../ui/format.ts';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Props = { caption: string; keys: readonly ConsoleKey[]; onRevoke: (key: ConsoleKey) => void };

export function KeyTable({ caption, keys, onRevoke }: Props) {
  return (
    <Table
      caption={caption}
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Name',
          cell: (key) => (
            <div className="row breakable">
              <strong>{key.name || 'Unnamed'}</strong>
              {key.state === 'expired' && <Badge tone="danger">Expired</Badge>}
              {key.allowed_models && <Badge>{key.allowed_models.join(', ')}</Badge>}
              {key.allowed_tools && <Badge>{toolsOf(key.allowed_tools)}</Badge>}
            </div>
          ),
        },
        { header: 'Key', low: true, cell: (key) => <code>…{key.ends_with}</code> },
        { header: 'Created', low: true, cell: (key) => <Time value={key.created_at} /> },
        {
          header: 'Last used',
          cell: (key) => (key.last_used_at ? <Time value={key.last_used_at} /> : <span className="muted">Never</span>),
        },
        {
          header: 'Expires',
          cell: (key) => (key.expires_at ? formatDate(key.expires_at) : <span className="muted">Never</span>),
        },
        {
          header: 'Actions',
          kind: 'actions',
          cell: (key) => (
            <Button look="quiet" small icon="trash" iconOnly onClick={() => onRevoke(key)}>
              {`Revoke ${key.name || key.ends_with}`}
            </Button>
          ),
        },
      ]}
    />
  );
}

function toolsOf(tools: readonly string[]): string {
  return tools.length === 0 ? 'no tools' : tools.map((tool) => tool.replaceAll('_', ' ')).join(', ');
}
