import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import styles from './notice.module.css';

type Props = { tone?: 'info' | 'success' | 'warning' | 'danger'; children: ReactNode };

export function Notice({ tone = 'info', children }: Props) {
  return (
    <div className={`${styles.notice} ${styles[tone] ?? ''}`}>
      <Icon name={tone === 'info' ? 'info' : tone === 'success' ? 'check' : 'warning'} />
      <div className="grow">{children}</div>
    </div>
  );
}
