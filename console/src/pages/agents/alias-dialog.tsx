import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { type Agent, type Alias, agentPath, aliasesQuery } from './queries.ts';

type Props = { agent: Agent; version: number; aliases: readonly Alias[]; onClose: () => void };

/** Names that point at a version: a conversation that names one uses whatever it points at. */
export function AliasDialog({ agent, version, aliases, onClose }: Props) {
  const [name, setName] = useState('');
  const client = useQueryClient();
  const path = `${agentPath(agent.id)}/aliases`;
  const moved = aliases.find(({ alias }) => alias === name.trim());
  const change = useMutation({
    mutationFn: ({ alias, isPut }: { alias: string; isPut: boolean }) =>
      isPut
        ? api.put(path, undefined, { query: { alias, version } })
        : api.delete(path, undefined, { query: { alias } }),
    onSuccess: async (_, { isPut }) => {
      await client.invalidateQueries({ queryKey: aliasesQuery(agent.id).queryKey });
      if (isPut) onClose();
    },
  });
  const here = aliases.filter((alias) => alias.version === version);
  return (
    <Dialog
      title={`Aliases of version ${version}`}
      onClose={onClose}
      onSubmit={() => change.mutate({ alias: name.trim(), isPut: true })}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" busy={change.isPending} disabled={name.trim() === ''}>
            {moved && moved.version !== version ? `Move it from version ${moved.version}` : 'Point it here'}
          </Button>
        </>
      }
    >
      <div className="stack">
        {here.length > 0 && (
          <ul className="stack-tight">
            {here.map(({ alias }) => (
              <li key={alias} className="row row-between">
                <code>{alias}</code>
                <Button small icon="trash" onClick={() => change.mutate({ alias, isPut: false })}>
                  {`Take ${alias} away`}
                </Button>
              </li>
            ))}
          </ul>
        )}
        <TextField
          label="Alias"
          placeholder="production"
          hint="Small letters, digits, hyphens and underscores. One that points elsewhere is moved."
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <ErrorNotice error={change.error} />
      </div>
    </Dialog>
  );
}
