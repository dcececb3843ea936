import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { type Agent, type Alias, agentPath, aliasesQuery } from './queries.ts';

type Props = { agent: Agent; version: number; aliases: readonly Alias[]; onClose: () => void };

/** Conversations that name an alias use the version it points to. */
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
      title={`Aliases for version ${version}`}
      onClose={onClose}
      onSubmit={() => change.mutate({ alias: name.trim(), isPut: true })}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" busy={change.isPending} disabled={name.trim() === ''}>
            {moved && moved.version !== version ? `Move from version ${moved.version}` : 'Add alias'}
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
                  {`Remove ${alias}`}
                </Button>
              </li>
            ))}
          </ul>
        )}
        <TextField
          label="Alias"
          placeholder="production"
          hint="Lowercase letters, digits, hyphens and underscores. An existing alias is moved to this version."
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <ErrorNotice error={change.error} />
      </div>
    </Dialog>
  );
}
