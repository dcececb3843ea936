import { diffLines, diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import styles from './diff.module.css';

type Part = { value: string; added: boolean; removed: boolean };

/** A longer comparison would block the page noticeably. */
const TIMEOUT_MS = 400;
/** Context lines around a change; longer unchanged stretches are collapsed. */
const CONTEXT_LINES = 3;

/** A diff by words, with ins and del for screen readers. */
export function Diff({ before, after, label = 'Changes' }: { before: string; after: string; label?: string }) {
  const parts = useMemo(() => compare(before, after), [before, after]);
  if (before === after) return <p className="muted">No differences.</p>;
  let at = 0;
  return (
    <section className={styles.diff} aria-label={label}>
      {parts.map((part, index) => {
        const key = at++;
        if (part.added) return <ins key={key}>{part.value}</ins>;
        if (part.removed) return <del key={key}>{part.value}</del>;
        const { head, left, tail } = shorten(part.value, index === 0, index === parts.length - 1);
        if (left === 0) return <span key={key}>{part.value}</span>;
        return (
          <span key={key}>
            {head}
            <span className={styles.left}>{`${left} unchanged lines`}</span>
            {tail}
          </span>
        );
      })}
    </section>
  );
}

/** By words, by lines if that takes too long, else as one full replacement. */
function compare(before: string, after: string): Part[] {
  return (
    diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS }) ??
    diffLines(before, after, { timeout: TIMEOUT_MS }) ?? [
      { value: before, added: false, removed: true },
      { value: after, added: true, removed: false },
    ]
  );
}

function shorten(text: string, isFirst: boolean, isLast: boolean): { head: string; left: number; tail: string } {
  const lines = text.split('\n');
  const headLines = isFirst ? 0 : CONTEXT_LINES + 1;
  const tailLines = isLast ? 0 : CONTEXT_LINES + 1;
  const left = lines.length - headLines - tailLines;
  if (left <= CONTEXT_LINES) return { head: text, left: 0, tail: '' };
  const head = lines.slice(0, headLines).map((line) => `${line}\n`);
  return { head: head.join(''), left, tail: lines.slice(lines.length - tailLines).join('\n') };
}
