import { Link, type LinkProps } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import styles from './tabs.module.css';

type Entry = { to: NonNullable<LinkProps['to']>; label: string; exact?: boolean; params?: LinkProps['params'] };

/** Links to the pages of an area, styled as tabs. */
export function NavTabs({ label, entries }: { label: string; entries: readonly Entry[] }) {
  const row = useRef<HTMLElement>(null);
  // On narrow screens the row scrolls; keeps the current tab visible.
  useEffect(() => {
    const active = row.current?.querySelector<HTMLElement>('[data-status=active]');
    if (row.current && active)
      row.current.scrollLeft = active.offsetLeft - row.current.clientWidth / 2 + active.offsetWidth / 2;
  }, []);
  return (
    <nav ref={row} className={styles.tabs} aria-label={label}>
      {entries.map(({ to, label: text, exact = false, params }) => (
        <Link
          key={`${to}${text}`}
          to={to}
          {...(params ? { params } : {})}
          className={styles.tab}
          activeOptions={{ exact, includeSearch: false }}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
