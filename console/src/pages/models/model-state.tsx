import { Badge, type Tone } from '../../ui/badge.tsx';
import styles from './models.module.css';
import type { ServedModel } from './queries.ts';

const states: Record<ServedModel['state'], { label: string; tone: Tone }> = {
  ready: { label: 'Ready', tone: 'success' },
  waiting: { label: 'Waiting for weights', tone: 'warning' },
  failed: { label: 'Failed', tone: 'danger' },
};

type Props = {
  model: Pick<ServedModel, 'state' | 'detail'>;
  /** Its weights are in the catalogue and not on the machine. */
  isDownloadable?: boolean;
};

export function ModelState({ model: { state, detail }, isDownloadable = false }: Props) {
  if (isDownloadable && state === 'failed')
    return (
      <>
        <Badge dot tone={states.waiting.tone}>
          {states.waiting.label}
        </Badge>
        <div className={`small muted ${styles.modelDetail}`}>Download them on the page Models.</div>
      </>
    );
  return (
    <>
      <Badge dot tone={states[state].tone}>
        {states[state].label}
      </Badge>
      {detail && <div className={`small muted breakable ${styles.modelDetail}`}>{detail}</div>}
    </>
  );
}
