import type { ReactNode } from 'react';
import markUrl from '../../shell/mark.svg';

export function Frame({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  return (
    <main id="main" className="door" tabIndex={-1}>
      <div className="door-card">
        <div className="brand door-brand">
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
