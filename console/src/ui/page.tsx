import type { ReactNode } from 'react';

type Props = {
  title: string;
  lead?: ReactNode;
  /** Links to what stands above this page. */
  crumbs?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
  children: ReactNode;
};

/** The frame of every page: one heading of the first level, what the page is for, what one can do. */
export function Page({ title, lead, crumbs, actions, wide = false, children }: Props) {
  return (
    <div className={`page ${wide ? 'page-wide' : ''}`}>
      <div className="page-head">
        <div className="page-head-text">
          {crumbs && (
            <nav className="crumbs" aria-label="Above this page">
              {crumbs}
            </nav>
          )}
          <h1 className="breakable">{title}</h1>
          {lead && <div className="page-lead">{lead}</div>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
