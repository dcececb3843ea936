import { Link } from '@tanstack/react-router';
import { buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ThemeSwitch } from '../ui/theme-switch.tsx';
import { AccountMenu } from './account-menu.tsx';
import { ApprovalsBadge } from './approvals-badge.tsx';
import { areas } from './areas.ts';
import markUrl from './mark.svg';
import styles from './navigation.module.css';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

/** The left column as the page's header, or the content of the drawer on narrow screens. */
export function Navigation({ as: Box, onSearch }: { as: 'header' | 'div'; onSearch: () => void }) {
  return (
    <Box className={styles.sidebar}>
      <Link to="/" className={styles.brand}>
        <img src={markUrl} alt="" />
        Tramontane
      </Link>
      <WorkspaceSwitcher />
      <button type="button" className={`${buttonClass({ small: true })} ${styles.searchButton}`} onClick={onSearch}>
        <Icon name="search" size={16} />
        <span className="grow">Search…</span>
        <kbd className="muted">Ctrl K</kbd>
      </button>
      <nav className={styles.nav} aria-label="Main">
        {areas.map((group) => (
          <div key={group.title ?? 'first'}>
            {group.title && <div className={styles.groupTitle}>{group.title}</div>}
            <ul>
              {group.entries.map((entry) => (
                <li key={entry.to}>
                  <Link to={entry.to} className={styles.link} activeOptions={{ exact: entry.to === '/' }}>
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
      <div className={styles.foot}>
        <ThemeSwitch full />
        <AccountMenu />
      </div>
    </Box>
  );
}
