import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import { ScrollBox } from './scroll-box.tsx';
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

/** Renders only visible items, each with its position for screen readers. */
export function VirtualList<Item>({ label, items, itemKey, render, estimate, height, reveal, onEnd }: Props<Item>) {
  const box = useRef<HTMLDivElement>(null);
  const keyOf = useRef(itemKey);
  keyOf.current = itemKey;
  // A new function would measure all items again.
  const getItemKey = useCallback((index: number) => keyOf.current(items[index] as Item, index), [items]);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => estimate,
    getItemKey,
    overscan: 12,
  });
  useEffect(() => {
    if (reveal !== undefined) virtualizer.scrollToIndex(reveal, { align: 'center' });
  }, [reveal, virtualizer]);
  const last = virtualizer.getVirtualItems().at(-1)?.index ?? 0;
  const isNearEnd = items.length > 0 && last >= items.length - 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks again when items were added.
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, items.length]);
  return (
    <ScrollBox
      ref={box}
      label={label}
      className={styles.virtual}
      style={{ height: `min(${virtualizer.getTotalSize()}px, ${typeof height === 'number' ? `${height}px` : height})` }}
    >
      <ul className={styles.inner} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => (
          <li
            key={item.key}
            ref={virtualizer.measureElement}
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
