import { type ReactNode, useState } from 'react';
import { isOrganizationAdmin, useSession } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { NavTabs } from '../../ui/nav-tabs.tsx';
import { Page } from '../../ui/page.tsx';

const forAdmins = [
  { to: '/organization', label: 'Members', exact: true },
  { to: '/organization/workspaces', label: 'Workspaces' },
  { to: '/organization/groups', label: 'Groups' },
] as const;
const forAll = [
  { to: '/organization/api-keys', label: 'API keys' },
  { to: '/organization/service-accounts', label: 'Service accounts' },
  { to: '/organization/usage', label: 'Usage' },
] as const;
const forAdminsToo = [
  { to: '/organization/admin-keys', label: 'Admin keys' },
  { to: '/organization/limits', label: 'Limits' },
  { to: '/organization/sign-in', label: 'Sign-in' },
  { to: '/organization/audit-log', label: 'Audit log' },
] as const;

type Props = {
  title: string;
  lead?: ReactNode;
  /** The button that creates an item, and its dialog. */
  add?: { label: string; dialog: (close: () => void) => ReactNode };
  adminsOnly?: boolean;
  children: () => ReactNode;
};

/** Heading and tabs of the area. Users without access see the reason instead of an error. */
export function Frame({ title, lead, add, adminsOnly = false, children }: Props) {
  const [adding, setAdding] = useState(false);
  const session = useSession();
  const admin = isOrganizationAdmin(session);
  const refused = adminsOnly && !admin;
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        add &&
        !refused && (
          <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
            {add.label}
          </Button>
        )
      }
    >
      <NavTabs label="Organization" entries={admin ? [...forAdmins, ...forAll, ...forAdminsToo] : forAll} />
      {refused ? (
        <EmptyState icon="people" title="Administrators only">
          Only administrators of {session.organization.name} can see this. Your own API keys and your workspace’s usage
          are in the other tabs.
        </EmptyState>
      ) : (
        children()
      )}
      {adding && add?.dialog(() => setAdding(false))}
    </Page>
  );
}
