import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

type Props = { tone?: 'info' | 'success' | 'warning' | 'danger'; children: ReactNode };

export function Notice({ tone = 'info', children }: Props) {
  return (
    <div className={`notice notice-${tone}`}>
      <Icon name={tone === 'info' ? 'info' : tone === 'success' ? 'check' : 'warning'} />
      <div className="grow">{children}</div>
    </div>
  );
}
