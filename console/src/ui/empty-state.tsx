import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import styles from './state.module.css';

type Props = { icon: IconName; title: string; children?: ReactNode; action?: ReactNode; level?: 1 | 2 };

/** Explains an empty list and how to create the first item. */
export function EmptyState({ icon, title, children, action, level = 2 }: Props) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <div className={styles.state}>
      <Icon name={icon} size={28} />
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {action && <div className="row">{action}</div>}
    </div>
  );
}
