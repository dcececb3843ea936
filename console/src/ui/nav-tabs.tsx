import { Link, type LinkProps } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

type Entry = { to: NonNullable<LinkProps['to']>; label: string; exact?: boolean; params?: LinkProps['params'] };

/** Links to the pages of one area, in the look of tabs. */
export function NavTabs({ label, entries }: { label: string; entries: readonly Entry[] }) {
  const row = useRef<HTMLElement>(null);
  // On a narrow screen the row scrolls; where one is must be in sight.
  useEffect(() => {
    const active = row.current?.querySelector<HTMLElement>('[data-status=active]');
    if (row.current && active)
      row.current.scrollLeft = active.offsetLeft - row.current.clientWidth / 2 + active.offsetWidth / 2;
  }, []);
  return (
    <nav ref={row} className="tabs" aria-label={label}>
      {entries.map(({ to, label: text, exact = false, params }) => (
        <Link
          key={`${to}${text}`}
          to={to}
          {...(params ? { params } : {})}
          className="tab"
          activeOptions={{ exact, includeSearch: false }}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
