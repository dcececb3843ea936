import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** After a navigation: sets the title, announces the page to screen readers and moves the focus to its start. */
export function Announcer() {
  const title = useRouterState({
    select: (state) => state.matches.findLast((match) => match.staticData.title)?.staticData.title,
  });
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const [said, setSaid] = useState('');
  const before = useRef<string>(undefined);
  useEffect(() => {
    document.title = title ? `${title} · Tramontane` : 'Tramontane';
    if (path !== undefined && before.current !== undefined && before.current !== path) {
      setSaid(title ?? 'Tramontane');
      document.getElementById('main')?.focus({ preventScroll: true });
    }
    before.current = path ?? before.current;
  }, [title, path]);
  return (
    <div className="visually-hidden" aria-live="polite" role="status">
      {said}
    </div>
  );
}
