import type { ReactNode } from 'react';
import { FormErrors } from './form-errors.tsx';
import styles from './page.module.css';

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
    <div className={`${styles.page} ${wide ? styles.wide : ''}`}>
      <div className={styles.head}>
        <div className={styles.headText}>
          {crumbs && (
            <nav className={styles.crumbs} aria-label="Breadcrumb">
              {crumbs}
            </nav>
          )}
          <h1 className="breakable">{title}</h1>
          {lead && <div className={styles.lead}>{lead}</div>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      <FormErrors>{children}</FormErrors>
    </div>
  );
}
