import { Badge, type Tone } from '../../ui/badge.tsx';
import styles from './models.module.css';
import type { ServedModel } from './queries.ts';

const states: Record<ServedModel['state'], { label: string; tone: Tone }> = {
  ready: { label: 'Ready', tone: 'success' },
  waiting: { label: 'Waiting for weights', tone: 'warning' },
  failed: { label: 'Failed', tone: 'danger' },
};

export function ModelState({ model: { state, detail } }: { model: Pick<ServedModel, 'state' | 'detail'> }) {
  return (
    <>
      <Badge dot tone={states[state].tone}>
        {states[state].label}
      </Badge>
      {detail && <div className={`small muted breakable ${styles.modelDetail}`}>{detail}</div>}
    </>
  );
}
