import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { EmptyState } from '../../ui/empty-state.tsx';
import { pageScroller } from '../../ui/scroller.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { useVirtualRows } from '../../ui/use-virtual-rows.ts';
import virtualListStyles from '../../ui/virtual-list.module.css';
import styles from './conversations.module.css';
import type { Entry } from './entries.ts';
import { EntryItem } from './entry-item.tsx';
import type { Replies, Reply } from './open-calls.ts';
import type { Branch } from './queries.ts';
import type { Item } from './timeline-items.ts';

type Props = {
  items: readonly Item[];
  entries: readonly Entry[];
  isRunning: boolean;
  branches: readonly Branch[];
  replies: Replies;
  onReply: (callId: string, reply: Reply) => void;
  onRestart: (item: Item) => void;
};

const NEAR_END_PX = 160;
const ESTIMATE_PX = 120;

/** A virtual list of entries. Opens at the end and stays there while a response streams, unless the user scrolls up. */
export function Entries({ items, entries, isRunning, branches, replies, onReply, onRestart }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const scroller = useMemo(() => pageScroller(list), []);
  const keyOf = useCallback((index: number) => items[index]?.id ?? index, [items]);
  const { rows, total, measure } = useVirtualRows({
    ...{ count: items.length, keyOf, estimate: ESTIMATE_PX, overscan: 6, scroller },
  });
  const end = useRef<HTMLDivElement>(null);
  useStayAtEnd(end, total);
  if (items.length === 0)
    return isRunning ? (
      <p className="muted row">
        <Spinner /> Waiting for the first token…
      </p>
    ) : (
      <EmptyState icon="chat" title="No entries" />
    );
  const branchCounts = countBranches(entries, branches);
  return (
    <>
      <ol ref={list} aria-label="Entries" className={virtualListStyles.inner} style={{ height: total }}>
        {rows.map((place) => {
          const item = items[place.index] as Item;
          return (
            <li
              key={place.key}
              ref={measure}
              data-index={place.index}
              className={virtualListStyles.item}
              aria-setsize={items.length}
              aria-posinset={place.index + 1}
              style={{ transform: `translateY(${place.start}px)` }}
            >
              <EntryItem
                item={item}
                isArriving={isRunning && place.index === items.length - 1}
                branchCount={branchCounts.get(item.id) ?? 0}
                reply={item.kind === 'call' ? replies[item.callId] : undefined}
                isBusy={isRunning}
                onReply={onReply}
                onRestart={onRestart}
              />
            </li>
          );
        })}
      </ol>
      <div ref={end} className={styles.entriesEnd} />
      <div className="visually-hidden" aria-live="polite">
        {isRunning ? 'Response is streaming.' : 'Response is complete.'}
      </div>
    </>
  );
}

/** The number of branches after each entry. */
function countBranches(entries: readonly Entry[], branches: readonly Branch[]): ReadonlyMap<string, number> {
  const branchCounts = new Map<string, number>();
  for (const { shared_entries } of branches) {
    const id = entries[shared_entries - 1]?.id;
    if (id !== undefined) branchCounts.set(id, (branchCounts.get(id) ?? 0) + 1);
  }
  return branchCounts;
}

function useStayAtEnd(end: RefObject<HTMLElement | null>, height: number): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    let known = 0;
    const look = () => {
      const { scrollHeight, clientHeight } = document.documentElement;
      const below = (end.current?.getBoundingClientRect().bottom ?? 0) - clientHeight;
      // A scroll caused by a change of the page's height is not the user's.
      if (scrollHeight !== known) {
        known = scrollHeight;
        return;
      }
      isAtEnd.current = below < NEAR_END_PX;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, [end]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the height changes.
  useLayoutEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: 'end' });
  }, [height]);
}
