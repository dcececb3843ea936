import type { ReactNode } from 'react';

type Props = { title?: string; actions?: ReactNode; footer?: ReactNode; flush?: boolean; children: ReactNode };

/** `flush` removes the padding, for tables and lists. */
export function Card({ title, actions, footer, flush = false, children }: Props) {
  return (
    <div className="card">
      {(title || actions) && (
        <div className="card-head">
          {title && <h2>{title}</h2>}
          {actions && <div className="row">{actions}</div>}
        </div>
      )}
      {flush ? children : <div className="card-body">{children}</div>}
      {footer && <div className="card-foot">{footer}</div>}
    </div>
  );
}
