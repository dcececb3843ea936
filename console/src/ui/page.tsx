import type { ReactNode } from 'react';
import { FormErrors } from './form-errors.tsx';

type Props = {
  title: string;
  lead?: ReactNode;
  crumbs?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
  children: ReactNode;
};

/** The frame of every page, with its only h1. */
export function Page({ title, lead, crumbs, actions, wide = false, children }: Props) {
  return (
    <div className={`page ${wide ? 'page-wide' : ''}`}>
      <div className="page-head">
        <div className="page-head-text">
          {crumbs && (
            <nav className="crumbs" aria-label="Breadcrumb">
              {crumbs}
            </nav>
          )}
          <h1 className="breakable">{title}</h1>
          {lead && <div className="page-lead">{lead}</div>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      <FormErrors>{children}</FormErrors>
    </div>
  );
}
