import type { RefObject } from 'react';

/** What scrolls a list: how much of the list is in view, counted from its first row. */
export type Scroller = {
  view(): { top: number; height: number };
  moveBy(pixels: number): void;
  /** Calls back when the view changes; returns what ends it. */
  listen(onChange: () => void): () => void;
};

/** A box of its own, with nothing above the list. */
export function boxScroller(box: RefObject<HTMLElement | null>): Scroller {
  return {
    view: () => ({ top: box.current?.scrollTop ?? 0, height: box.current?.clientHeight ?? 0 }),
    moveBy: (pixels) => box.current?.scrollBy({ top: pixels, behavior: 'instant' }),
    listen(onChange) {
      const element = box.current;
      if (!element) return () => undefined;
      const resized = new ResizeObserver(onChange);
      resized.observe(element);
      element.addEventListener('scroll', onChange, { passive: true });
      return () => {
        resized.disconnect();
        element.removeEventListener('scroll', onChange);
      };
    },
  };
}

/** The page, with whatever is above the list. */
export function pageScroller(list: RefObject<HTMLElement | null>): Scroller {
  return {
    view: () => ({ top: -(list.current?.getBoundingClientRect().top ?? 0), height: window.innerHeight }),
    moveBy: (pixels) => window.scrollBy({ top: pixels, behavior: 'instant' }),
    listen(onChange) {
      window.addEventListener('scroll', onChange, { passive: true });
      window.addEventListener('resize', onChange);
      return () => {
        window.removeEventListener('scroll', onChange);
        window.removeEventListener('resize', onChange);
      };
    },
  };
}
