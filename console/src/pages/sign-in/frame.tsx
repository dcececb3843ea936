import type { ReactNode } from 'react';
import markUrl from '../../shell/mark.svg';
import navigationStyles from '../../shell/navigation.module.css';
import styles from './sign-in.module.css';

export function Frame({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  return (
    <main id="main" className={styles.door} tabIndex={-1}>
      <div className={styles.doorCard}>
        <div className={`${navigationStyles.brand} ${styles.doorBrand}`}>
          <img src={markUrl} alt="" />
          Tramontane
        </div>
        <div className="stack-tight">
          <h1>{title}</h1>
          {lead && <p className="muted breakable">{lead}</p>}
        </div>
        {children}
      </div>
    </main>
  );
}
