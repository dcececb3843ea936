import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { OrganizationAdminUsersOUT } from '../../../../src/admin/schema/users.ts';
import { api } from '../../api/api.ts';
import { isOrganizationAdmin, type Session, useSession } from '../../api/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { type Choice, SelectField, TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { Frame } from './frame.tsx';
import styles from './libraries.module.css';
import { libraryPath, type Sharing, sharesQuery } from './queries.ts';

const route = getRouteApi('/shell/libraries/$libraryId/sharing');
const LEVELS = [
  { value: 'Viewer', label: 'Viewer: search and read' },
  { value: 'Editor', label: 'Editor: also add and delete documents' },
] as const;
const TYPES: Readonly<Record<string, string>> = { User: 'Person', Workspace: 'Workspace', Org: 'Organization' };
const MEMBERS_MAX = 100;

export function SharingPage() {
  const { libraryId } = route.useParams();
  return <Frame libraryId={libraryId}>{() => <Shares libraryId={libraryId} />}</Frame>;
}

function Shares({ libraryId }: { libraryId: string }) {
  const query = useQuery(sharesQuery(libraryId));
  const { nameOf, choices } = useNames();
  const client = useQueryClient();
  const toast = useToast();
  const refresh = () => client.invalidateQueries({ queryKey: sharesQuery(libraryId).queryKey });
  const change = useMutation({
    mutationFn: ({ share_with_type, share_with_uuid, role }: Sharing) => {
      const body = { share_with_type, share_with_uuid };
      return role === ''
        ? api.delete(`${libraryPath(libraryId)}/share`, body)
        : api.put(`${libraryPath(libraryId)}/share`, { ...body, level: role });
    },
    onSuccess: refresh,
    onError: toast.error,
  });
  return (
    <>
      <Card title="Share">
        <ShareForm libraryId={libraryId} choices={choices} onShared={refresh} />
      </Card>
      <Card title="Who has access" flush>
        <Loaded query={query} padded>
          {(shares) => (
            <Table
              caption="Who has access"
              rows={shares}
              rowKey={({ share_with_type, share_with_uuid }) => `${share_with_type} ${share_with_uuid}`}
              columns={[
                { header: 'Who', cell: (share) => <span className="breakable">{nameOf(share)}</span> },
                { header: 'Kind', low: true, cell: ({ share_with_type }) => TYPES[share_with_type] ?? share_with_type },
                {
                  header: 'Role',
                  cell: (share) =>
                    share.role === 'Owner' ? (
                      <Badge tone="accent">Owner</Badge>
                    ) : (
                      <SelectField
                        label={`Role of ${nameOf(share)}`}
                        hideLabel
                        className={styles.role}
                        value={share.role}
                        options={LEVELS.map(({ value }) => ({ value: value as string, label: value }))}
                        onChange={(role) => change.mutate({ ...share, role })}
                      />
                    ),
                },
                {
                  header: 'Actions',
                  kind: 'actions',
                  cell: (share) =>
                    share.role !== 'Owner' && (
                      <Button
                        small
                        look="quiet"
                        icon="trash"
                        iconOnly
                        onClick={() => change.mutate({ ...share, role: '' })}
                      >
                        {`Remove ${nameOf(share)}`}
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Loaded>
      </Card>
    </>
  );
}

function ShareForm({
  libraryId,
  choices,
  onShared,
}: {
  libraryId: string;
  choices: readonly Choice[];
  onShared: () => Promise<void>;
}) {
  const [who, setWho] = useState('');
  const [userId, setUserId] = useState('');
  const [level, setLevel] = useState<'Viewer' | 'Editor'>('Viewer');
  const target = who === 'User' ? `User ${userId.trim()}` : who;
  const share = useMutation({
    mutationFn: () => {
      const [share_with_type, share_with_uuid] = target.split(' ');
      return api.put(`${libraryPath(libraryId)}/share`, { share_with_type, share_with_uuid, level });
    },
    onSuccess: async () => {
      setWho('');
      setUserId('');
      await onShared();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    share.mutate();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <div className="columns">
        <SelectField
          label="With whom"
          value={who}
          options={[{ value: '', label: 'Choose' }, ...choices]}
          onChange={setWho}
        />
        {who === 'User' && (
          <TextField label="Id of the person" value={userId} onChange={(event) => setUserId(event.target.value)} />
        )}
        <SelectField label="Role" value={level} options={LEVELS} onChange={setLevel} />
      </div>
      <ErrorNotice error={share.error} />
      <div className="row row-end">
        <Button type="submit" look="primary" busy={share.isPending} disabled={who === '' || target === 'User '}>
          Share
        </Button>
      </div>
    </form>
  );
}

/** People can be listed by administrators only; others share with them by id. */
function useNames() {
  const session = useSession();
  const isAdmin = isOrganizationAdmin(session);
  const { data } = useQuery({
    queryKey: ['libraries', 'members'],
    queryFn: () =>
      api.get<OrganizationAdminUsersOUT>('/v1/admin/users', { query: { page: 1, page_size: MEMBERS_MAX } }),
    enabled: isAdmin,
  });
  const people: Choice[] = (data?.members ?? []).map((member) => ({
    value: `User ${member.uuid}`,
    label: [member.name, member.email].filter(Boolean).join(', ') || member.uuid,
    group: 'People',
  }));
  const known: Choice[] = [
    { value: `Org ${session.organization.id}`, label: `Everybody in ${session.organization.name}` },
    ...session.workspaces.map(({ id, name }) => ({ value: `Workspace ${id}`, label: name, group: 'Workspaces' })),
    ...people,
  ];
  return {
    choices: isAdmin ? known : [...known, { value: 'User', label: 'A person by id', group: 'People' }],
    nameOf: (share: Sharing) => nameOf(share, known, session),
  };
}

function nameOf({ share_with_type, share_with_uuid }: Sharing, known: readonly Choice[], { user }: Session): string {
  if (share_with_uuid === user.id) return user.name ?? user.email;
  const value = `${share_with_type} ${share_with_uuid}`;
  return known.find((choice) => choice.value === value)?.label ?? share_with_uuid ?? 'Unknown';
}
