import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';
import { Spinner } from './spinner.tsx';

export type ButtonLook = {
  look?: 'default' | 'primary' | 'danger' | 'quiet';
  small?: boolean;
  icon?: IconName;
  /** Shows only the icon; the label becomes the tooltip and accessible name. */
  iconOnly?: boolean;
};

type Props = ButtonLook &
  Omit<ComponentProps<'button'>, 'children'> & {
    children: ReactNode;
    /** Shows a spinner and ignores clicks, keeping width and focus. */
    busy?: boolean;
  };

export function Button({ look, small, icon, iconOnly, busy = false, children, className, onClick, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={`${buttonClass({ look, small, iconOnly })} ${className ?? ''}`}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
      {...(iconOnly && typeof children === 'string' ? { 'aria-label': children, title: children } : {})}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} size={small ? 15 : 17} />}
      {!iconOnly && children}
    </button>
  );
}

/** For router links styled as buttons: `<Link className={buttonClass({ look: 'primary' })}>`. */
export function buttonClass({
  look = 'default',
  small,
  iconOnly,
}: { [K in keyof ButtonLook]: ButtonLook[K] | undefined }) {
  return [styles.button, look !== 'default' && styles[look], small && styles.small, iconOnly && styles.icon]
    .filter(Boolean)
    .join(' ');
}
