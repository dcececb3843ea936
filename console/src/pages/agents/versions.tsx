import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { AliasDialog } from './alias-dialog.tsx';
import { CompareDialog } from './compare-dialog.tsx';
import {
  type Agent,
  type Alias,
  agentPath,
  agentQuery,
  agentsKey,
  aliasesQuery,
  versionsPageSize,
  versionsQuery,
} from './queries.ts';

/** All versions, newest first, with their notes and aliases. */
export function Versions({ agent }: { agent: Agent }) {
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<{ what: 'compare' | 'alias'; version: Agent }>();
  const query = useQuery(versionsQuery(agent.id, page - 1));
  const aliases = useQuery(aliasesQuery(agent.id));
  return (
    <Card flush>
      <Loaded query={query} padded>
        {(versions) => (
          <>
            <VersionTable
              agent={agent}
              versions={versions}
              aliases={aliases.data ?? []}
              onCompare={(version) => setOpen({ what: 'compare', version })}
              onName={(version) => setOpen({ what: 'alias', version })}
            />
            <Pager page={page} onPage={setPage} pageSize={versionsPageSize} total={agent.versions.length} />
          </>
        )}
      </Loaded>
      {open?.what === 'compare' && (
        <CompareDialog agent={agent} version={open.version} onClose={() => setOpen(undefined)} />
      )}
      {open?.what === 'alias' && (
        <AliasDialog
          agent={agent}
          version={open.version.version}
          aliases={aliases.data ?? []}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Card>
  );
}

function VersionTable({
  agent,
  versions,
  aliases,
  onCompare,
  onName,
}: {
  agent: Agent;
  versions: readonly Agent[];
  aliases: readonly Alias[];
  onCompare: (version: Agent) => void;
  onName: (version: Agent) => void;
}) {
  const choose = useChoose(agent);
  const navigate = useNavigate();
  return (
    <Table
      caption="Versions"
      rows={versions}
      rowKey={({ version }) => String(version)}
      columns={[
        {
          header: 'Version',
          cell: ({ version }) => (
            <div className="row">
              <strong className="numbers">{version}</strong>
              {version === agent.version && (
                <Badge tone="success" dot>
                  Current
                </Badge>
              )}
              {aliases
                .filter((alias) => alias.version === version)
                .map(({ alias }) => (
                  <Badge key={alias} tone="accent">
                    {alias}
                  </Badge>
                ))}
            </div>
          ),
        },
        {
          header: 'Version notes',
          cell: ({ version_message }) => <span className="breakable">{version_message || '–'}</span>,
        },
        { header: 'Model', low: true, cell: ({ model }) => <code>{model}</code> },
        { header: 'Created', low: true, cell: ({ updated_at }) => <Time value={updated_at} /> },
        {
          header: 'Actions',
          kind: 'actions',
          cell: (version) => (
            <div className="row row-end">
              {version.version !== agent.version && (
                <Button small aria-label={`Compare version ${version.version}`} onClick={() => onCompare(version)}>
                  Compare
                </Button>
              )}
              <Menu
                label={`Actions for version ${version.version}`}
                items={[
                  {
                    label: 'Make current',
                    disabled: version.version === agent.version,
                    onSelect: () => choose(version.version),
                  },
                  { label: 'Aliases', onSelect: () => onName(version) },
                  {
                    label: 'Chat with this version',
                    onSelect: () =>
                      void navigate({
                        to: '/conversations/new',
                        search: { agent: agent.id, version: String(version.version) },
                      }),
                  },
                ]}
              />
            </div>
          ),
        },
      ]}
    />
  );
}

function useChoose(agent: Agent): (version: number) => void {
  const confirm = useConfirm();
  const client = useQueryClient();
  const toast = useToast();
  const choose = useMutation({
    mutationFn: (version: number) =>
      api.patch<Agent>(`${agentPath(agent.id)}/version`, undefined, { query: { version } }),
    onSuccess: async (changed) => {
      client.setQueryData(agentQuery(agent.id).queryKey, changed);
      await client.invalidateQueries({ queryKey: agentsKey });
      toast.success(`Version ${changed.version} is now current.`);
    },
    onError: (error) => toast.error(error),
  });
  return async (version) => {
    const isSure = await confirm({
      title: `Make version ${version} current?`,
      body: `New and existing conversations and handoffs to ${agent.name} use it unless they name another version. Version ${agent.version} stays available.`,
      action: `Use version ${version}`,
    });
    if (isSure) choose.mutate(version);
  };
}
