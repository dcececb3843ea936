import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { AuditLogOut } from '../../../../src/audit/schema.ts';
import { api } from '../../api/api.ts';
import { useNames } from '../../api/names.ts';
import { Button } from '../../ui/button.tsx';
import cardStyles from '../../ui/card.module.css';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { SearchField, SelectField, TextField } from '../../ui/field.tsx';
import { formatMoment, formatNumber } from '../../ui/format.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { AuditEntry, idsOf } from './audit-entry.tsx';
import { eventGroups } from './audit-events.ts';
import { Frame } from './frame.tsx';
import styles from './organization.module.css';

const pageEntries = 500;
const everything = '';

export function AuditLogPage() {
  return (
    <Frame
      adminsOnly
      title="Audit log"
      lead="Who did what, when and from where. Entries are hash-chained: npx tramontane audit verify detects changed or missing ones."
    >
      {() => <AuditLog />}
    </Frame>
  );
}

function AuditLog() {
  const [text, setText] = useState('');
  const [group, setGroup] = useState(everything);
  const [until, setUntil] = useState('');
  const event_type = eventGroups.find(({ label }) => label === group)?.events;
  const query = useInfiniteQuery({
    queryKey: ['organization', 'audit-log', group, until],
    queryFn: ({ pageParam }) =>
      api.get<AuditLogOut[]>('/v1/admin/audit-logs', {
        query: { limit: pageEntries, event_type, before: pageParam ?? (until ? `${until}T23:59:59.999Z` : undefined) },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length === pageEntries ? page.at(-1)?.created_at : undefined),
  });
  const loaded = useMemo(() => query.data?.pages.flat() ?? [], [query.data]);
  const ids = useMemo(() => loaded.flatMap(idsOf), [loaded]);
  const names = useNames(ids);
  const found = useMemo(() => loaded.filter((entry) => matches(entry, text, names)), [loaded, text, names]);
  const last = loaded.at(-1);
  return (
    <>
      <div className={styles.auditFilters}>
        <SearchField
          label="Search by actor, event, address or request ID"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <SelectField
          hideLabel
          label="Event type"
          options={[
            { value: everything, label: 'All events' },
            ...eventGroups.map(({ label }) => ({ value: label, label })),
          ]}
          value={group}
          onChange={setGroup}
        />
        <TextField
          hideLabel
          label="Until"
          type="date"
          value={until}
          onChange={(event) => setUntil(event.target.value)}
        />
      </div>
      <Card
        flush
        footer={
          <>
            <span className="small muted" role="status">
              {formatNumber(found.length)} of {formatNumber(loaded.length)} entries
              {last && `, back to ${formatMoment(last.created_at)}`}
            </span>
            {query.hasNextPage && (
              <Button small busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {text ? 'Search older entries' : 'Load older entries'}
              </Button>
            )}
          </>
        }
      >
        {query.isPending && (
          <div className={cardStyles.body}>
            <Skeleton lines={6} />
          </div>
        )}
        {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && found.length === 0 && (
          <EmptyState icon="list" title="No matching entries">
            {query.hasNextPage ? 'Search older entries or change the search.' : 'Change the search.'}
          </EmptyState>
        )}
        {found.length > 0 && (
          <VirtualList
            label="Entries"
            items={found}
            itemKey={({ log_id }) => log_id}
            estimate={64}
            height="min(640px, 70dvh)"
            render={(entry) => <AuditEntry entry={entry} names={names} />}
          />
        )}
      </Card>
    </>
  );
}

/** Every word must occur in the entry. */
function matches(entry: AuditLogOut, text: string, names: ReturnType<typeof useNames>): boolean {
  if (text.trim() === '') return true;
  const whole = [entry.event_type, entry.actor_metadata, entry.event_metadata, entry.target_metadata]
    .map((part) => (typeof part === 'string' ? part : Object.values(part).join(' ')))
    .concat(idsOf(entry).map((id) => names?.[id]?.name ?? ''))
    .join(' ')
    .toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}
