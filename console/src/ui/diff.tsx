import { diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';

/** What changed between two texts, word by word. Screen readers say which words came and which went. */
export function Diff({ before, after, label = 'Changes' }: { before: string; after: string; label?: string }) {
  const parts = useMemo(() => diffWordsWithSpace(before, after), [before, after]);
  if (before === after) return <p className="muted">The two are the same.</p>;
  let at = 0;
  return (
    <section className="diff" aria-label={label}>
      {parts.map((part) => {
        const key = at++;
        if (part.added) return <ins key={key}>{part.value}</ins>;
        if (part.removed) return <del key={key}>{part.value}</del>;
        return <span key={key}>{part.value}</span>;
      })}
    </section>
  );
}
