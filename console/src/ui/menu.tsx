import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { buttonClass } from './button.tsx';
import { Icon } from './icon.tsx';
import styles from './menu.module.css';

export type MenuItem = { label: string; onSelect: () => void; danger?: boolean; disabled?: boolean };
type Props = {
  label: string;
  items: readonly MenuItem[];
  /** Defaults to three dots. */
  trigger?: ReactNode;
  up?: boolean;
  start?: boolean;
};

/** An action menu with keyboard navigation by arrow keys, Home, End and first letter. */
export function Menu({ label, items, trigger, up = false, start = false }: Props) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const button = () => box.current?.querySelector<HTMLElement>('button');
  const choices = () => [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])];

  useEffect(() => {
    if (!open) return;
    const list = box.current?.querySelector<HTMLElement>('[role=menu]');
    list?.showPopover();
    // Follows its button while scrolling and closes when the button leaves the view.
    const follow = () => {
      const at = box.current?.getBoundingClientRect();
      if (!list || !at || at.bottom < 0 || at.top > window.innerHeight) setOpen(false);
      else place(list, at, { up, start });
    };
    follow();
    box.current?.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus();
    const leave = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    window.addEventListener('scroll', follow, true);
    window.addEventListener('resize', follow);
    return () => {
      document.removeEventListener('pointerdown', leave);
      window.removeEventListener('scroll', follow, true);
      window.removeEventListener('resize', follow);
    };
  }, [open, up, start]);

  const close = () => {
    setOpen(false);
    button()?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = choices();
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'Escape') close();
    else if (event.key === 'Tab') return setOpen(false);
    else if (event.key === 'ArrowDown') all[(at + 1) % all.length]?.focus();
    else if (event.key === 'ArrowUp') all[(at - 1 + all.length) % all.length]?.focus();
    else if (event.key === 'Home') all[0]?.focus();
    else if (event.key === 'End') all.at(-1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} className={`${styles.menu} ${trigger ? styles.full : ''}`}>
      <button
        type="button"
        className={
          trigger
            ? `${buttonClass({ look: 'quiet' })} ${styles.trigger}`
            : buttonClass({ look: 'quiet', small: true, iconOnly: true })
        }
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label}
        onClick={() => setOpen(!open)}
      >
        {trigger ?? <Icon name="more" />}
      </button>
      {open && (
        <div
          id={id}
          className={styles.list}
          popover="manual"
          role="menu"
          aria-label={label}
          tabIndex={-1}
          onKeyDown={onKeyDown}
        >
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={`${styles.item} ${item.danger ? styles.danger : ''}`}
              disabled={item.disabled}
              onClick={() => {
                close();
                item.onSelect();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** In the top layer, so that tables and dialogs do not clip it; flips where there is no room. */
function place(list: HTMLElement, at: DOMRect, { up, start }: { up: boolean; start: boolean }): void {
  const { width, height } = list.getBoundingClientRect();
  const gap = 4;
  const above = up || (at.bottom + gap + height > window.innerHeight && at.top - gap - height > 0);
  const left = start ? at.left : at.right - width;
  list.style.top = `${above ? at.top - gap - height : at.bottom + gap}px`;
  list.style.left = `${Math.max(gap, Math.min(left, window.innerWidth - width - gap))}px`;
}
