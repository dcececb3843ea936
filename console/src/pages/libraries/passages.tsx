import { Badge } from '../../ui/badge.tsx';
import cardStyles from '../../ui/card.module.css';
import { EmptyState } from '../../ui/empty-state.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import styles from './libraries.module.css';
import type { Passage } from './queries.ts';

type Props = {
  passages: readonly Passage[];
  isCut: boolean;
  chosen: Passage | undefined;
  onChoose: (passage: Passage) => void;
};

const KINDS: Readonly<Record<Passage['kind'], string>> = { text: 'Text', table: 'Table', code: 'Code', notes: 'Notes' };

export function Passages({ passages, isCut, chosen, onChoose }: Props) {
  if (passages.length === 0)
    return (
      <EmptyState icon="list" title="No passages">
        This page has no text that can be found.
      </EmptyState>
    );
  return (
    <>
      <VirtualList
        label="Passages"
        items={passages}
        itemKey={({ position }) => position}
        estimate={120}
        height="min(70vh, 760px)"
        reveal={chosen ? passages.indexOf(chosen) : undefined}
        render={(passage) => (
          <button
            type="button"
            className={styles.passage}
            aria-pressed={passage === chosen}
            onClick={() => onChoose(passage)}
          >
            <span className="row small">
              <span className="muted numbers">{passage.position + 1}</span>
              {passage.kind !== 'text' && <Badge>{KINDS[passage.kind]}</Badge>}
              <span className="muted clip">{passage.headings.join(' › ')}</span>
            </span>
            <span className={styles.passageText}>{passage.text}</span>
          </button>
        )}
      />
      {isCut && <p className={`${cardStyles.foot} small muted`}>The first {passages.length} passages are shown.</p>}
    </>
  );
}
