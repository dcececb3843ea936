import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { useConfirm } from '../ui/confirm.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { VersionSelect } from './history.tsx';
import { movesQuery, placeAlias, type Registry, type Version } from './queries.ts';

type Props = {
  registry: Registry;
  id: string;
  versions: readonly Version[];
  /** Who uses the alias, for the question before it moves. */
  usedBy: (alias: string) => Promise<ReactNode>;
};

/** Where each alias points, moved with one choice and a question that says whom it concerns, and how it moved before. */
export function Aliases({ registry, id, versions, usedBy }: Props) {
  const client = useQueryClient();
  const confirm = useConfirm();
  const toast = useToast();
  const moves = useQuery(movesQuery(registry, id));
  const rows = versions.flatMap(({ version = 0, aliases = [] }) => aliases.map((alias) => ({ alias, version })));
  const place = useMutation({
    mutationFn: ({ alias, to }: { alias: string; to: number | undefined }) =>
      placeAlias(registry, id, versions, alias, to),
    onSuccess: async (_, { alias, to }) => {
      await client.invalidateQueries({ queryKey: [registry.path] });
      toast.success(to === undefined ? `The alias ${alias} is gone.` : `${alias} points to version ${to} now.`);
    },
    onError: toast.error,
  });
  const move = async (alias: string, from: number, to: number | undefined) => {
    let who: ReactNode;
    try {
      who = await usedBy(alias);
    } catch (error) {
      // Nobody moves an alias without knowing whom it concerns.
      return toast.error(error);
    }
    const isSure = await confirm({
      title: to === undefined ? `Remove the alias ${alias}?` : `Move ${alias} from version ${from} to ${to}?`,
      body: who,
      action: to === undefined ? 'Remove' : 'Move',
      danger: to === undefined,
    });
    if (isSure) place.mutate({ alias, to });
  };
  return (
    <div className="stack">
      <Card title="Aliases" flush>
        {rows.length === 0 ? (
          <EmptyState icon="branch" title="No alias yet">
            An application asks for an alias, as production; whoever edits moves it to another version.
          </EmptyState>
        ) : (
          <Table
            caption="Aliases"
            rows={rows}
            rowKey={({ alias }) => alias}
            columns={[
              { header: 'Alias', cell: ({ alias }) => <strong className="breakable">{alias}</strong> },
              {
                header: 'Points to',
                cell: ({ alias, version }) => (
                  <SelectField
                    label={`Version of ${alias}`}
                    hideLabel
                    value={String(version)}
                    onChange={(to) => void move(alias, version, Number(to))}
                    options={versions.map((one) => ({ value: String(one.version), label: `Version ${one.version}` }))}
                  />
                ),
              },
              {
                header: 'Actions',
                kind: 'actions',
                cell: ({ alias, version }) => (
                  <Button small look="quiet" icon="trash" iconOnly onClick={() => void move(alias, version, undefined)}>
                    {`Remove ${alias}`}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Card>
      <NewAlias
        versions={versions}
        isBusy={place.isPending}
        onAdd={(alias, to) => {
          const there = rows.find((row) => row.alias === alias);
          if (there) void move(alias, there.version, to);
          else place.mutate({ alias, to });
        }}
      />
      <Card title="How they moved" flush>
        <Loaded query={moves} padded>
          {(list) =>
            list.length === 0 ? (
              <p className="card-body muted">No alias has moved yet.</p>
            ) : (
              <Table
                caption="Moves of aliases, newest first"
                rows={list.slice(0, 100)}
                rowKey={({ alias, movedAt }) => `${alias} ${movedAt}`}
                columns={[
                  { header: 'When', cell: ({ movedAt }) => <Time value={movedAt} /> },
                  { header: 'Alias', cell: ({ alias }) => alias },
                  {
                    header: 'Move',
                    cell: ({ fromVersion, toVersion }) => `${fromVersion ?? 'nowhere'} → ${toVersion ?? 'nowhere'}`,
                  },
                  { header: 'By', low: true, cell: ({ movedBy }) => <span className="breakable">{movedBy}</span> },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

type NewProps = { versions: readonly Version[]; isBusy: boolean; onAdd: (alias: string, to: number) => void };

function NewAlias({ versions, isBusy, onAdd }: NewProps) {
  const newest = versions[0]?.version ?? 1;
  const [alias, setAlias] = useState('');
  const [to, setTo] = useState(newest);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAdd(alias, to);
    setAlias('');
  };
  return (
    <form className="registry-new-alias" onSubmit={submit}>
      <TextField
        label="New alias"
        required
        maxLength={64}
        pattern="[a-z]([a-z0-9_\-]*[a-z0-9])?"
        title="Small letters, digits, - and _, beginning with a letter"
        placeholder="production"
        value={alias}
        onChange={(event) => setAlias(event.target.value)}
      />
      <VersionSelect label="Points to" versions={versions} value={to} onChange={setTo} />
      <Button type="submit" busy={isBusy}>
        Add the alias
      </Button>
    </form>
  );
}
