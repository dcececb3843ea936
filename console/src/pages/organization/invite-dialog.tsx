import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OrganizationInvitesCreateOUT } from '../../../../src/admin/schema/users.ts';
import { api } from '../../api/api.ts';
import { useWorkspace } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import fieldStyles from '../../ui/field.module.css';
import { CheckField, SelectField, TextAreaField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { workspacesQuery } from './queries.ts';
import { useRoles } from './role-names.ts';
import { useChange } from './use-change.ts';

const workspacesShown = 100;

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [emails, setEmails] = useState('');
  const [role, setRole] = useState('member');
  // Without a workspace they would find an empty console, so the one in view is the default.
  const workspace = useWorkspace();
  const [chosen, setChosen] = useState<string[]>(() => (workspace ? [workspace.id] : []));
  const { data: workspaces } = useQuery(workspacesQuery(1, '', false, workspacesShown));
  const { choices, describe } = useRoles('organization');
  const invite = useChange({
    quiet: true,
    run: () =>
      api.post<OrganizationInvitesCreateOUT>('/v1/admin/users-invite', {
        email: emails
          .split(/[\s,;]+/)
          .filter(Boolean)
          .join(', '),
        role_names: [role],
        ...(chosen.length > 0 ? { workspace_uuids: chosen } : {}),
      }),
  });
  if (invite.data) return <Invited result={invite.data} onClose={onClose} />;
  return (
    <EntityDialog
      title="Invite people"
      action="Invite"
      save={invite}
      onSave={() => invite.mutate(undefined)}
      onClose={onClose}
    >
      <TextAreaField
        label="E-mail addresses"
        fills="email"
        hint="Separate several with commas, spaces or line breaks."
        required
        value={emails}
        onChange={(event) => setEmails(event.target.value)}
      />
      <SelectField
        label="Role in the organization"
        fills="role_names"
        hint={describe(role)}
        options={choices}
        value={role}
        onChange={setRole}
      />
      {workspaces && workspaces.items.length > 0 && (
        <fieldset className="stack-tight">
          <legend className={fieldStyles.label}>Workspaces to join</legend>
          {workspaces.items.map(({ uuid, name }) => (
            <CheckField
              key={uuid}
              label={name}
              checked={chosen.includes(uuid)}
              onChange={(event) =>
                setChosen(event.target.checked ? [...chosen, uuid] : chosen.filter((one) => one !== uuid))
              }
            />
          ))}
          {chosen.length === 0 && (
            <Notice tone="warning">
              Without a workspace they can sign in, and see nothing until somebody adds them to one.
            </Notice>
          )}
        </fieldset>
      )}
    </EntityDialog>
  );
}

function Invited({ result, onClose }: { result: OrganizationInvitesCreateOUT; onClose: () => void }) {
  const links = result.invite_links ?? [];
  const count = result.invited_members_count ?? 0;
  return (
    <Dialog
      title="Invitations"
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {count > 0 && links.length === 0 && (
        <Notice tone="success">
          {count === 1 ? 'One invitation was' : `${count} invitations were`} sent by e-mail.
        </Notice>
      )}
      {links.length > 0 && (
        <>
          <Notice>
            E-mail is not set up on this server: send each link to its recipient yourself. It works once, expires after
            a week, and is shown only now.
          </Notice>
          <ul className="stack">
            {links.map(({ email, url }) => (
              <li key={email} className="stack-tight">
                <div className="row row-between">
                  <strong className="breakable">{email}</strong>
                  <CopyButton small text={url} label={`Copy link for ${email}`} />
                </div>
                <code className="breakable small">{url}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {result.already_members.length > 0 && <Notice>Already members: {result.already_members.join(', ')}</Notice>}
      {result.invalid_emails.length > 0 && (
        <Notice tone="warning">Invalid e-mail addresses: {result.invalid_emails.join(', ')}</Notice>
      )}
    </Dialog>
  );
}
