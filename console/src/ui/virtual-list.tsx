import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { ScrollBox } from './scroll-box.tsx';
import { boxScroller } from './scroller.ts';
import { useVirtualRows } from './use-virtual-rows.ts';
import styles from './virtual-list.module.css';

type Props<Item> = {
  label: string;
  items: readonly Item[];
  itemKey: (item: Item, index: number) => string | number;
  render: (item: Item, index: number) => ReactNode;
  /** Estimated item height; the real one is measured on render. */
  estimate: number;
  /** Maximum height. */
  height: number | string;
  /** The item to scroll to. */
  reveal?: number | undefined;
  /** Called when the last item comes near, to load more. */
  onEnd?: (() => void) | undefined;
};

const OVERSCAN = 12;

/** Renders only visible items, each with its position for screen readers. */
export function VirtualList<Item>({ label, items, itemKey, render, estimate, height, reveal, onEnd }: Props<Item>) {
  const box = useRef<HTMLDivElement>(null);
  const scroller = useMemo(() => boxScroller(box), []);
  const latestKey = useRef(itemKey);
  latestKey.current = itemKey;
  // A new function would look up the heights of all items again.
  const keyOf = useCallback((index: number) => latestKey.current(items[index] as Item, index), [items]);
  const { rows, total, measure, scrollTo } = useVirtualRows({
    ...{ count: items.length, keyOf, estimate, overscan: OVERSCAN, scroller },
  });
  useEffect(() => {
    if (reveal !== undefined) scrollTo(reveal, 'center');
  }, [reveal, scrollTo]);
  const isNearEnd = items.length > 0 && rows.at(-1)?.index === items.length - 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks again when items were added.
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, items.length]);
  // The browser would scroll to where the ends were when the key was pressed, and rows on the way turn out taller.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== box.current || (event.key !== 'Home' && event.key !== 'End')) return;
    event.preventDefault();
    scrollTo(event.key === 'Home' ? 0 : items.length - 1);
  };
  return (
    <ScrollBox
      ref={box}
      onKeyDown={onKeyDown}
      label={label}
      className={styles.virtual}
      style={{ height: `min(${total}px, ${typeof height === 'number' ? `${height}px` : height})` }}
    >
      <ul className={styles.inner} style={{ height: total }}>
        {rows.map((item) => (
          <li
            key={item.key}
            ref={measure}
            data-index={item.index}
            className={styles.item}
            aria-setsize={items.length}
            aria-posinset={item.index + 1}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {render(items[item.index] as Item, item.index)}
          </li>
        ))}
      </ul>
    </ScrollBox>
  );
}
