import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SearchField, TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Named } from '../../ui/named.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import styles from './playground.module.css';
import { type Session, sessionsQuery } from './queries.ts';
import { pathOf } from './use-session.ts';

type Props = {
  currentId: string | undefined;
  onOpen: (id: string) => void;
  onChanged: (id: string, change: { name?: string; isDeleted?: boolean }) => void;
  onClose: () => void;
};

/** One's own sessions and those that others share: open, rename, share by link, delete. */
export function SessionsDialog({ currentId, onOpen, onChanged, onClose }: Props) {
  const query = useQuery(sessionsQuery);
  const [text, setText] = useState('');
  const [renamed, setRenamed] = useState<Session>();
  const sought = text.trim().toLowerCase();
  return (
    <Dialog title="Sessions" wide onClose={onClose}>
      <SearchField label="Search sessions" value={text} onChange={(event) => setText(event.target.value)} />
      <Loaded query={query}>
        {(sessions) => {
          const found = sessions.filter(({ name }) => name.toLowerCase().includes(sought));
          if (found.length === 0)
            return (
              <EmptyState icon="chat" title={sessions.length === 0 ? 'No session yet' : 'No session has this name'}>
                Save what you tried under a name, to go on later or to share it with your workspace.
              </EmptyState>
            );
          return (
            <ul className={styles.sessions}>
              {found.map((session) => (
                <li key={session.id} className="row">
                  <button type="button" className={styles.session} onClick={() => onOpen(session.id)}>
                    <span className="breakable">{session.name}</span>
                    <span className="small muted row">
                      <Time value={session.updated_at} />
                      {!session.is_own && <Named id={session.user_id} what="user" />}
                      {session.branch_of && 'branch'}
                    </span>
                  </button>
                  {session.id === currentId && <Badge tone="accent">open</Badge>}
                  {session.is_shared && <Badge>shared</Badge>}
                  {session.is_own && <Actions session={session} onRename={setRenamed} onChanged={onChanged} />}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      {renamed && (
        <RenameDialog
          session={renamed}
          onDone={(name) => onChanged(renamed.id, { name })}
          onClose={() => setRenamed(undefined)}
        />
      )}
    </Dialog>
  );
}

type ActionProps = { session: Session; onRename: (session: Session) => void; onChanged: Props['onChanged'] };

function Actions({ session, onRename, onChanged }: ActionProps) {
  const toast = useToast();
  const change = useMutation({
    mutationFn: (body: { is_shared: boolean }) => api.patch(pathOf(session.id), body),
    onSuccess: () => onChanged(session.id, {}),
    onError: toast.error,
  });
  const share = async () => {
    await change.mutateAsync({ is_shared: true });
    await navigator.clipboard.writeText(`${location.origin}/console/playground?session=${session.id}`);
    toast.success('The link was copied. Members of this workspace can open it.');
  };
  const remove = useRemoval({
    title: () => `Delete ${session.name}?`,
    body: 'Its messages and settings are deleted. Links to it stop working.',
    action: 'Delete',
    run: () => api.delete(pathOf(session.id)),
    done: () => `${session.name} was deleted.`,
    leave: () => onChanged(session.id, { isDeleted: true }),
    reload: sessionsQuery.queryKey,
  });
  return (
    <Menu
      label={`Actions for ${session.name}`}
      items={[
        { label: 'Rename', onSelect: () => onRename(session) },
        { label: 'Share and copy link', onSelect: () => void share() },
        ...(session.is_shared ? [{ label: 'Stop sharing', onSelect: () => change.mutate({ is_shared: false }) }] : []),
        { label: 'Delete', danger: true, onSelect: () => remove.ask() },
      ]}
    />
  );
}

type NameProps = {
  title: string;
  name: string;
  action: string;
  onSave: (name: string) => Promise<unknown>;
  onClose: () => void;
};

/** Asks for the name of a session. */
export function NameDialog({ title, name: first, action, onSave, onClose }: NameProps) {
  const [name, setName] = useState(first);
  const save = useMutation({ mutationFn: () => onSave(name.trim()), onSuccess: onClose });
  return (
    <EntityDialog title={title} action={action} save={save} onSave={() => save.mutate()} onClose={onClose}>
      <TextField
        label="Session name"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </EntityDialog>
  );
}

function RenameDialog({
  session,
  onDone,
  onClose,
}: {
  session: Session;
  onDone: (name: string) => void;
  onClose: () => void;
}) {
  return (
    <NameDialog
      title="Rename session"
      name={session.name}
      action="Rename"
      onSave={async (name) => {
        await api.patch(pathOf(session.id), { name });
        onDone(name);
      }}
      onClose={onClose}
    />
  );
}
