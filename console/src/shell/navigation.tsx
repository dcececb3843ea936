import { Link } from '@tanstack/react-router';
import { Icon } from '../ui/icon.tsx';
import { ThemeSwitch } from '../ui/theme-switch.tsx';
import { AccountMenu } from './account-menu.tsx';
import { ApprovalsBadge } from './approvals-badge.tsx';
import { areas } from './areas.ts';
import markUrl from './mark.svg';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

/** The left column as the page's header, or the content of the drawer on narrow screens. */
export function Navigation({ as: Box, onSearch }: { as: 'header' | 'div'; onSearch: () => void }) {
  return (
    <Box className="sidebar">
      <Link to="/" className="brand">
        <img src={markUrl} alt="" />
        Tramontane
      </Link>
      <WorkspaceSwitcher />
      <button type="button" className="button button-small search-button" onClick={onSearch}>
        <Icon name="search" size={16} />
        <span className="grow">Search…</span>
        <kbd className="muted">Ctrl K</kbd>
      </button>
      <nav className="nav" aria-label="Main">
        {areas.map((group) => (
          <div key={group.title ?? 'first'}>
            {group.title && <div className="nav-group-title">{group.title}</div>}
            <ul>
              {group.entries.map((entry) => (
                <li key={entry.to}>
                  <Link to={entry.to} className="nav-link" activeOptions={{ exact: entry.to === '/' }}>
                    <Icon name={entry.icon} />
                    {entry.label}
                    {entry.to === '/approvals' && <ApprovalsBadge />}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="sidebar-foot">
        <ThemeSwitch />
        <AccountMenu />
      </div>
    </Box>
  );
}
