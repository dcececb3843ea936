import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'react';
import { flushSync } from 'react-dom';
import { createRowHeights } from './row-heights.ts';
import type { Scroller } from './scroller.ts';

type Options = {
  count: number;
  /** The same function as long as the rows are the same. */
  keyOf: (index: number) => string | number;
  /** The height of a row until it is measured. */
  estimate: number;
  /** Rows that are rendered before and after those in view. */
  overscan: number;
  /** The same object each time. */
  scroller: Scroller;
};

type VirtualRow = { key: string | number; index: number; start: number; height: number };
type Align = 'center' | 'nearest';

/** How often a row that is scrolled to is looked for again while heights are still estimates. */
const AIMS_MAX = 8;

/**
 * The rows to render of a long list. `measure` is the ref of rows whose height is their content's. What is in view stays
 * where it is when a row above it turns out to be taller or shorter than estimated.
 */
export function useVirtualRows({ count, keyOf, estimate, overscan, scroller }: Options) {
  const [, redraw] = useReducer((version: number) => version + 1, 0);
  const measured = useRef(new Map<string | number, number>());
  const heights = useMemo(() => {
    const known = measured.current;
    return createRowHeights(count, known.size === 0 ? () => estimate : (at) => known.get(keyOf(at)) ?? estimate);
  }, [count, keyOf, estimate]);
  const heightsNow = useRef(heights);
  heightsNow.current = heights;
  const view = useRef({ top: 0, height: 0 });
  /** How far to move the view for what was measured above it. */
  const shift = useRef(0);
  const isJump = useRef(false);
  const aim = useRef<{ index: number; align: Align; left: number }>(undefined);
  const nodes = useRef(new Set<Element>());

  const first = heights.indexAt(view.current.top);
  const last = heights.indexAt(view.current.top + view.current.height);
  const from = Math.max(0, first - overscan);
  const to = view.current.height === 0 ? -1 : Math.min(count - 1, last + overscan);
  const rows: VirtualRow[] = [];
  for (let index = from, start = heights.startOf(from); index <= to; index++) {
    const height = heights.heightOf(index);
    rows.push({ key: keyOf(index), index, start, height });
    start += height;
  }

  /** Notes what rendered rows are tall; true if one differs from what was known. */
  const remeasure = useCallback(
    (which: Iterable<Element>): boolean => {
      let isChanged = false;
      for (const node of which) {
        const index = Number((node as HTMLElement).dataset.index);
        const height = (node as HTMLElement).offsetHeight;
        if (!(index < count) || height === 0) continue;
        const end = heights.startOf(index) + heights.heightOf(index);
        const grown = heights.set(index, height);
        measured.current.set(keyOf(index), height);
        if (grown === 0) continue;
        isChanged = true;
        if (end <= view.current.top + shift.current) shift.current += grown;
      }
      return isChanged;
    },
    [heights, count, keyOf],
  );
  const remeasureNow = useRef(remeasure);
  remeasureNow.current = remeasure;
  const observer = useRef<ResizeObserver>(undefined);
  observer.current ??= new ResizeObserver((entries) => {
    if (remeasureNow.current(entries.map(({ target }) => target))) redraw();
  });
  const measure = useCallback((node: HTMLElement | null) => {
    if (!node) return;
    nodes.current.add(node);
    observer.current?.observe(node);
    return () => {
      nodes.current.delete(node);
      observer.current?.unobserve(node);
    };
  }, []);

  const scrollTo = useCallback((index: number, align: Align = 'nearest') => {
    aim.current = { index, align, left: AIMS_MAX };
    redraw();
  }, []);

  // After each render: the content has its new height, so that the view can move, and new rows can be measured.
  useLayoutEffect(() => {
    const isMeasured = remeasure(nodes.current);
    const before = scroller.view();
    const target = before.height > 0 ? aim.current : undefined;
    if (target || isJump.current) shift.current = 0;
    if (!isMeasured) isJump.current = false;
    if (target) {
      scroller.moveBy(wayTo(heights.startOf(target.index), heights.heightOf(target.index), before, target.align));
    } else if (shift.current !== 0 && !isMeasured) {
      scroller.moveBy(shift.current);
      shift.current = 0;
    }
    const seen = scroller.view();
    if (target && (--target.left === 0 || (!isMeasured && seen.top === before.top))) aim.current = undefined;
    const isMoved = seen.top !== view.current.top || seen.height !== view.current.height;
    view.current = seen;
    if (isMeasured || isMoved) redraw();
  });
  // Again when the count changes: a list without rows may have nothing that scrolls.
  useEffect(
    () =>
      scroller.listen(() => {
        const seen = scroller.view();
        if (seen.top === view.current.top && seen.height === view.current.height) return;
        // Nothing that was in view still is, so there is nothing to keep in its place.
        isJump.current = Math.abs(seen.top - view.current.top) > seen.height;
        view.current = seen;
        // The last rows may be taller than estimated: a jump to the end is one to the last row.
        const isEnd = isJump.current && seen.top + seen.height >= heightsNow.current.total() - 1;
        aim.current = isEnd ? { index: count - 1, align: 'nearest', left: AIMS_MAX } : undefined;
        // In the same frame: what is scrolled into view would be blank for a moment.
        flushSync(redraw);
      }),
    [scroller, count],
  );
  return { rows, total: heights.total(), first, last, measure, scrollTo };
}

/** How far to scroll until a row is in the middle, or until it is in view. */
function wayTo(start: number, height: number, view: { top: number; height: number }, align: Align): number {
  if (align === 'center') return start + height / 2 - (view.top + view.height / 2);
  if (start < view.top) return start - view.top;
  return Math.max(0, start + height - (view.top + view.height));
}
