import { Link, type LinkProps } from '@tanstack/react-router';

type Entry = { to: NonNullable<LinkProps['to']>; label: string; exact?: boolean; params?: LinkProps['params'] };

/** Links to the pages of one area, in the look of tabs. */
export function NavTabs({ label, entries }: { label: string; entries: readonly Entry[] }) {
  return (
    <nav className="tabs" aria-label={label}>
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
