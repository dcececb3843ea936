import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../ui/button.tsx';
import cardStyles from '../ui/card.module.css';
import { Card } from '../ui/card.tsx';
import { useConfirm } from '../ui/confirm.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Named } from '../ui/named.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { VersionSelect } from './history.tsx';
import { movesQuery, placeAlias, type Registry, type Version } from './queries.ts';
import styles from './registry.module.css';

type Props = {
  registry: Registry;
  id: string;
  versions: readonly Version[];
  /** Describes the alias's users, for the confirmation. */
  usedBy: (alias: string) => Promise<ReactNode>;
};

/** Aliases and their history. Moving one asks for confirmation that lists its users. */
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
      toast.success(to === undefined ? `Alias ${alias} was removed.` : `${alias} now points to version ${to}.`);
    },
    onError: toast.error,
  });
  const move = async (alias: string, from: number, to: number | undefined) => {
    let who: ReactNode;
    try {
      who = await usedBy(alias);
    } catch (error) {
      // Without the list of users there is no confirmation and no move.
      return toast.error(error);
    }
    const isSure = await confirm({
      title: to === undefined ? `Remove alias ${alias}?` : `Move ${alias} from version ${from} to ${to}?`,
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
            Applications request an alias, e.g. production. Move it to roll out another version.
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
      <Card title="Alias history" flush>
        <Loaded query={moves} padded>
          {(list) =>
            list.length === 0 ? (
              <p className={`${cardStyles.body} muted`}>No alias changes yet.</p>
            ) : (
              <Table
                caption="Alias changes, newest first"
                rows={list.slice(0, 100)}
                rowKey={({ alias, movedAt }) => `${alias} ${movedAt}`}
                columns={[
                  { header: 'When', cell: ({ movedAt }) => <Time value={movedAt} /> },
                  { header: 'Alias', cell: ({ alias }) => alias },
                  {
                    header: 'Change',
                    cell: ({ fromVersion, toVersion }) => `${fromVersion ?? 'nowhere'} → ${toVersion ?? 'nowhere'}`,
                  },
                  {
                    header: 'By',
                    low: true,
                    cell: ({ movedBy }) => (
                      <Named id={movedBy} what="user" among={list.slice(0, 100).map((one) => one.movedBy)} />
                    ),
                  },
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
    <form className={styles.newAlias} onSubmit={submit}>
      <TextField
        label="New alias"
        required
        maxLength={64}
        pattern="[a-z]([a-z0-9_\-]*[a-z0-9])?"
        title="Lowercase letters, digits, hyphens and underscores, starting with a letter"
        placeholder="production"
        value={alias}
        onChange={(event) => setAlias(event.target.value)}
      />
      <VersionSelect label="Points to" versions={versions} value={to} onChange={setTo} />
      <Button type="submit" busy={isBusy}>
        Add alias
      </Button>
    </form>
  );
}
