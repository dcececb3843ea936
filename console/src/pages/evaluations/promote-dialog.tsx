import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { placeAlias, type Version, versionsQuery } from '../../registry/queries.ts';
import { describeUses } from '../../registry/uses.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useToast } from '../../ui/toast.tsx';
import { prompts } from './queries.ts';

type Props = { promptId: string; version: number; onClose: () => void };

/** Moves an alias to the version that the run has tried. */
export function PromoteDialog({ promptId, version, onClose }: Props) {
  const query = useQuery(versionsQuery(prompts, promptId));
  return (
    <Loaded query={query}>
      {(versions) => <Form versions={versions} promptId={promptId} version={version} onClose={onClose} />}
    </Loaded>
  );
}

function Form({ versions, promptId, version, onClose }: Props & { versions: readonly Version[] }) {
  const known = versions.flatMap(({ version: at, aliases = [] }) => aliases.map((alias) => ({ alias, at })));
  const [alias, setAlias] = useState(known.find(({ at }) => at !== version)?.alias ?? 'production');
  const client = useQueryClient();
  const toast = useToast();
  const uses = useQuery({
    queryKey: [prompts.path, 'uses', promptId, alias],
    queryFn: () => describeUses(prompts, promptId, alias),
    enabled: known.some((one) => one.alias === alias),
  });
  const promote = useMutation({
    mutationFn: () => placeAlias(prompts, promptId, versions, alias, version),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [prompts.path] });
      toast.success(`${alias} now points to version ${version}.`);
      onClose();
    },
  });
  const from = known.find((one) => one.alias === alias)?.at;
  return (
    <Dialog
      title={`Promote version ${version}`}
      onClose={onClose}
      onSubmit={() => promote.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={promote.isPending} disabled={alias === '' || from === version}>
            Move alias
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextField
          label="Alias"
          required
          maxLength={64}
          pattern="[a-z]([a-z0-9_\-]*[a-z0-9])?"
          title="Lowercase letters, digits, hyphens and underscores, starting with a letter"
          hint={describeMove(from, version, known)}
          value={alias}
          onChange={(event) => setAlias(event.target.value)}
        />
        {from !== undefined && from !== version && uses.data}
        <ErrorNotice error={promote.error ?? uses.error} />
      </div>
    </Dialog>
  );
}

function describeMove(from: number | undefined, to: number, known: readonly { alias: string }[]): string {
  if (from === to) return `It points to version ${to} already.`;
  if (from !== undefined) return `It moves from version ${from} to ${to}.`;
  const names = [...new Set(known.map(({ alias }) => alias))];
  return names.length > 0 ? `A new alias. There are: ${names.join(', ')}.` : 'A new alias.';
}
