import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConsoleLimits } from '../../../../src/console/schema/usage.ts';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Table } from '../../ui/table.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { Frame } from './frame.tsx';
import { organizationKey } from './queries.ts';
import { useChange } from './use-change.ts';

type LimitName = 'requests_per_second' | 'tokens_per_minute' | 'monthly_budget' | 'storage_mib';

const fields: { name: LimitName; label: string; hint: string }[] = [
  { name: 'requests_per_second', label: 'Requests per second', hint: 'Leave empty for no limit.' },
  { name: 'tokens_per_minute', label: 'Tokens per minute', hint: 'Leave empty for no limit.' },
  {
    name: 'monthly_budget',
    label: 'Monthly budget',
    hint: 'In the currency of the server’s prices. Leave empty for no limit.',
  },
];
/** The operator sets the storage of the organization, and keys store nothing themselves. */
const storageField = { name: 'storage_mib', label: 'Storage in MiB', hint: 'Leave empty for no limit.' } as const;
const fieldsOf = ({ scope }: ConsoleLimits) => (scope === 'workspace' ? [...fields, storageField] : fields);
const MEBIBYTE = 1024 * 1024;
const pathOf = ({ scope, id }: ConsoleLimits) => `/console/api/limits/${scope}/${id}`;

export function LimitsPage() {
  return (
    <Frame
      adminsOnly
      title="Limits"
      lead="A request must fit the limits of its key, workspace and organization. Above a limit, the response is 429 with a retry time."
    >
      {() => <Limits />}
    </Frame>
  );
}

function Limits() {
  const [edited, setEdited] = useState<ConsoleLimits>();
  const query = useQuery({
    queryKey: ['organization', 'limits'],
    queryFn: () => api.get<{ scopes: ConsoleLimits[] }>('/console/api/limits'),
  });
  const reset = useRemoval<ConsoleLimits>({
    title: ({ name }) => `Reset the limits of ${name}?`,
    body: 'The limits of the configuration file apply again immediately.',
    action: 'Reset',
    run: (scope) => api.delete(pathOf(scope)),
    done: () => 'Limits were reset to the configuration.',
    reload: organizationKey,
  });
  return (
    <>
      {query.data && <Alerts scopes={query.data.scopes} />}
      <Card flush>
        <Loaded query={query} padded>
          {({ scopes }) => (
            <Table
              caption="Limits"
              rows={scopes}
              rowKey={({ scope, id }) => `${scope}/${id}`}
              columns={[
                {
                  header: 'Applies to',
                  cell: ({ scope, name, from }) => (
                    <div className="row breakable">
                      <strong>{name}</strong>
                      <Badge>{scope}</Badge>
                      {from === 'own' && <Badge tone="accent">custom limits</Badge>}
                    </div>
                  ),
                },
                {
                  header: 'Requests / s',
                  kind: 'end',
                  low: true,
                  cell: (row) => <Limit value={row.requests_per_second} />,
                },
                {
                  header: 'Tokens / min',
                  kind: 'end',
                  low: true,
                  cell: (row) => <Limit value={row.tokens_per_minute} />,
                },
                { header: 'Budget this month', cell: (row) => <Budget scope={row} /> },
                { header: 'Storage', low: true, cell: (row) => <Stored scope={row} /> },
                {
                  header: 'Actions',
                  kind: 'actions',
                  cell: (row) => (
                    <Menu
                      label={`Actions for ${row.name}`}
                      items={[
                        { label: 'Edit', onSelect: () => setEdited(row) },
                        {
                          label: 'Reset to configuration',
                          danger: true,
                          disabled: row.from !== 'own',
                          onSelect: () => reset.ask(row),
                        },
                      ]}
                    />
                  ),
                },
              ]}
            />
          )}
        </Loaded>
      </Card>
      {edited && <LimitDialog scope={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

/** From here on a budget is nearly spent, as for the notification `budget.near`. */
const NEAR = 0.8;

function Alerts({ scopes }: { scopes: ConsoleLimits[] }) {
  const near = scopes.filter(({ monthly_budget, spent }) => monthly_budget !== null && spent >= NEAR * monthly_budget);
  const alert = (
    <Link to="/notifications">Notifications send budget.near and budget.spent to an address of yours.</Link>
  );
  if (near.length === 0) return <Notice>To be told before a budget is spent: {alert}</Notice>;
  return near.map(({ scope, id, name, spent, monthly_budget }) => {
    const isSpent = spent >= (monthly_budget ?? 0);
    return (
      <Notice key={`${scope}/${id}`} tone={isSpent ? 'danger' : 'warning'}>
        The budget of {name} is {isSpent ? 'spent: its requests are refused until the next month' : 'nearly spent'}.{' '}
        {alert}
      </Notice>
    );
  });
}

function Limit({ value }: { value: number | null }) {
  return value === null ? <span className="muted">No limit</span> : formatNumber(value);
}

function Budget({ scope: { spent, monthly_budget } }: { scope: ConsoleLimits }) {
  if (monthly_budget === null) return <span className="muted">{formatNumber(spent)} spent, no limit</span>;
  const note = `${formatNumber(spent)} of ${formatNumber(monthly_budget)}`;
  return <Progress label="Spent" value={monthly_budget === 0 ? 1 : spent / monthly_budget} note={note} />;
}

function Stored({ scope: { stored_bytes, storage_bytes } }: { scope: ConsoleLimits }) {
  if (storage_bytes === null) return <span className="muted">No limit</span>;
  const mebibytes = (bytes: number) => formatNumber(Math.ceil(bytes / MEBIBYTE));
  const note = `${mebibytes(stored_bytes ?? 0)} of ${mebibytes(storage_bytes)} MiB`;
  return <Progress label="Stored" value={storage_bytes === 0 ? 1 : (stored_bytes ?? 0) / storage_bytes} note={note} />;
}

function LimitDialog({ scope, onClose }: { scope: ConsoleLimits; onClose: () => void }) {
  const [values, setValues] = useState<Record<LimitName, string>>({
    requests_per_second: scope.requests_per_second?.toString() ?? '',
    tokens_per_minute: scope.tokens_per_minute?.toString() ?? '',
    monthly_budget: scope.monthly_budget?.toString() ?? '',
    storage_mib: scope.storage_bytes === null ? '' : String(scope.storage_bytes / MEBIBYTE),
  });
  const save = useChange({
    quiet: true,
    run: () =>
      api.put(
        pathOf(scope),
        Object.fromEntries(
          fieldsOf(scope).map(({ name }) => [name, values[name] === '' ? null : Number(values[name])]),
        ),
      ),
    done: () => `Limits of ${scope.name} updated.`,
    after: onClose,
  });
  return (
    <EntityDialog
      title={`Limits of ${scope.name}`}
      action="Save"
      save={save}
      onSave={() => save.mutate(undefined)}
      onClose={onClose}
    >
      {fieldsOf(scope).map(({ name, label, hint }) => (
        <TextField
          key={name}
          label={label}
          hint={hint}
          type="number"
          min={0}
          step="any"
          value={values[name]}
          onChange={(event) => setValues({ ...values, [name]: event.target.value })}
        />
      ))}
    </EntityDialog>
  );
}
