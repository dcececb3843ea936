import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { SearchField } from '../../../ui/field.tsx';
import { formatNumber } from '../../../ui/format.ts';
import { Segments } from '../../../ui/segments.tsx';
import { VirtualList } from '../../../ui/virtual-list.tsx';
import type { Timeline } from './create-timeline.ts';
import { describeEvent } from './describe-event.ts';
import { type EventFilter, type FilteredEvents, filterEvents, noFilter } from './filter-events.ts';
import type { TimelineEvent } from './read-messages.ts';
import { formatDuration } from './time-scale.ts';
import styles from './timeline.module.css';

const topics = [
  { value: 'all', label: 'All' },
  { value: 'execution', label: 'Executions' },
  { value: 'step', label: 'Steps' },
  { value: 'task', label: 'Tasks' },
  { value: 'message', label: 'Signals' },
  { value: 'trouble', label: 'Errors' },
] as const;

const timeOf = (timeline: Timeline, at: number) => timeline.events[at]?.event_timestamp ?? 0;

export function EventList({ timeline, version }: { timeline: Timeline; version: number }) {
  const [filter, setFilter] = useState<EventFilter>(noFilter);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const text = useDeferredValue(filter.text);
  const earlier = useRef<FilteredEvents>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the events.
  const { places } = useMemo(() => {
    earlier.current = filterEvents(timeline.events, { topic: filter.topic, text }, earlier.current);
    const { places } = earlier.current;
    // Signals come from the history, after the events around them.
    return timeline.hasMessages
      ? { places: places.toSorted((a, b) => timeOf(timeline, a) - timeOf(timeline, b)) }
      : { places };
  }, [timeline, version, filter.topic, text]);
  const zeroMs = timeline.bounds()?.fromMs ?? 0;
  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  return (
    <div className={styles.timeline}>
      <div className={styles.tools}>
        <div className="row">
          <SearchField
            label="Search events"
            value={filter.text}
            onChange={(event) => setFilter({ ...filter, text: event.target.value })}
          />
          <span className="small muted numbers" aria-live="polite">
            {formatNumber(places.length)} of {formatNumber(timeline.events.length)}
          </span>
        </div>
        <Segments
          label="Filter events"
          options={topics}
          value={filter.topic}
          onChange={(topic) => setFilter({ ...filter, topic })}
        />
      </div>
      {places.length === 0 ? (
        <EmptyState icon="search" title="No matching events" />
      ) : (
        <VirtualList
          label="Events"
          items={places}
          itemKey={(at) => (timeline.events[at] as TimelineEvent).event_id}
          estimate={38}
          height={Math.min(540, places.length * 38 + 8 + open.size * 240)}
          render={(at) => {
            const event = timeline.events[at] as TimelineEvent;
            return (
              <EventLine
                event={event}
                zeroMs={zeroMs}
                isOpen={open.has(event.event_id)}
                onToggle={() => toggle(event.event_id)}
              />
            );
          }}
        />
      )}
    </div>
  );
}

function EventLine({
  event,
  zeroMs,
  isOpen,
  onToggle,
}: {
  event: TimelineEvent;
  zeroMs: number;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const { title, tone, subject, note } = describeEvent(event);
  return (
    <div className={styles.event}>
      <button type="button" className={styles.eventLine} aria-expanded={isOpen} onClick={onToggle}>
        <span
          className={`${styles.eventTime} muted numbers`}
        >{`+ ${formatDuration(Math.round(event.event_timestamp / 1000 - zeroMs))}`}</span>
        <Badge tone={tone}>{title}</Badge>
        <span className={`${styles.eventSubject} clip`}>{subject}</span>
        <span className="muted clip grow">{note}</span>
      </button>
      {isOpen && (
        <div className={styles.eventBody}>
          <CodeBlock title={event.event_type} code={JSON.stringify(event, null, 2)} />
        </div>
      )}
    </div>
  );
}
