import type { ReactNode } from 'react';
import styles from './card.module.css';

type Props = { title?: string; actions?: ReactNode; footer?: ReactNode; flush?: boolean; children: ReactNode };

/** `flush` removes the padding, for tables and lists. */
export function Card({ title, actions, footer, flush = false, children }: Props) {
  return (
    <div className={styles.card}>
      {(title || actions) && (
        <div className={styles.head}>
          {title && <h2>{title}</h2>}
          {actions && <div className="row">{actions}</div>}
        </div>
      )}
      {flush ? children : <div className={styles.body}>{children}</div>}
      {footer && <div className={styles.foot}>{footer}</div>}
    </div>
  );
}
