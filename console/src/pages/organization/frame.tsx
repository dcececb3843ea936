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
  { to: '/organization/usage', label: 'Usage' },
] as const;
const forAdminsToo = [
  { to: '/organization/admin-keys', label: 'Admin keys' },
  { to: '/organization/limits', label: 'Limits' },
  { to: '/organization/audit-log', label: 'Audit log' },
] as const;

type Props = {
  title: string;
  lead?: ReactNode;
  /** What can be made here: a button, and the dialog that it opens. */
  add?: { label: string; dialog: (close: () => void) => ReactNode };
  adminsOnly?: boolean;
  children: () => ReactNode;
};

/** The heading and the tabs of the area; and, for who may not see a page, the reason instead of an error. */
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
        <EmptyState icon="people" title="For administrators">
          Only an administrator of {session.organization.name} sees this. Your own API keys and your workspace’s usage
          are in the other tabs.
        </EmptyState>
      ) : (
        children()
      )}
      {adding && add?.dialog(() => setAdding(false))}
    </Page>
  );
}
