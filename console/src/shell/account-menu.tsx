import { useNavigate } from '@tanstack/react-router';
import { end, signOut, useSession } from '../api/session.ts';
import { useConfirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { useToast } from '../ui/toast.tsx';

export function AccountMenu() {
  const { user, permissions } = useSession();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const toast = useToast();
  const leave = async (everywhere: boolean) => {
    try {
      const away = await signOut(everywhere);
      // The provider signs out too; its page leads back.
      if (away) return location.assign(away);
      await navigate({ to: '/sign-in', search: {} });
      end();
    } catch (error) {
      toast.error(error);
    }
  };
  const leaveEverywhere = async () => {
    const sure = await confirm({
      title: 'Sign out everywhere?',
      body: 'You will be signed out in every browser, including this one. API keys stay valid.',
      action: 'Sign out everywhere',
    });
    if (sure) await leave(true);
  };
  return (
    <Menu
      up
      start
      label={`Account: ${user.name || user.email}`}
      trigger={
        <>
          <Icon name="person" />
          <span className="grow clip">{user.name || user.email}</span>
        </>
      }
      items={[
        { label: 'Account', onSelect: () => void navigate({ to: '/account', search: {} }) },
        { label: 'Sign out', onSelect: () => leave(false) },
        ...(permissions.includes('console:owner') ? [{ label: 'Sign out everywhere', onSelect: leaveEverywhere }] : []),
      ]}
    />
  );
}
