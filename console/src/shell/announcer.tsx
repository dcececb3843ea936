import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/**
 * A page of one document does not say that it changed. After each navigation this names the new page in the title and to
 * screen readers, and puts the focus at its beginning, as a browser does when it loads a document.
 */
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
