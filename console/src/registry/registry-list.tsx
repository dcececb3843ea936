import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { Badge } from '../ui/badge.tsx';
import cardStyles from '../ui/card.module.css';
import { Card } from '../ui/card.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { SearchField } from '../ui/field.tsx';
import type { IconName } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Pager } from '../ui/pager.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { usePages } from '../ui/use-pages.ts';
import { type Entry, listQuery, pageSize, type Registry, searchQuery } from './queries.ts';

type Props = {
  registry: Registry;
  fields: string;
  icon: IconName;
  link: (entry: Entry) => ReactNode;
  about: (entry: Entry) => ReactNode;
  empty: { title: string; text: string; action: ReactNode };
};

/** Entries by last change, or the results of a search. */
export function RegistryList({ registry, fields, icon, link, about, empty }: Props) {
  const [typed, setTyped] = useState('');
  const text = useDeferredValue(typed.trim());
  const pages = usePages(text);
  const list = useQuery({ ...listQuery(registry, fields, pages.cursor), enabled: text === '' });
  const search = useQuery(searchQuery(registry, fields, text));
  const columns = [
    { header: 'Name', cell: (entry: Entry) => link(entry) },
    {
      header: 'Description',
      cell: (entry: Entry) => <span className="muted breakable">{about(entry)}</span>,
      low: true,
    },
    { header: 'Version', kind: 'end' as const, cell: (entry: Entry) => entry.latestVersion },
    {
      header: 'Visibility',
      low: true,
      cell: (entry: Entry) => (
        <Badge tone={isShared(entry) ? 'accent' : 'neutral'}>{isShared(entry) ? 'workspace' : 'private'}</Badge>
      ),
    },
    { header: 'Updated', low: true, cell: (entry: Entry) => entry.updatedAt && <Time value={entry.updatedAt} /> },
  ];
  const table = (rows: readonly Entry[]) => (
    <Table caption={`List of ${registry.noun}s`} columns={columns} rows={rows} rowKey={({ id }) => id ?? ''} />
  );
  return (
    <>
      <SearchField
        label={`Search ${registry.noun}s`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Card flush>
        {text !== '' ? (
          <Loaded query={search} padded>
            {({ data, isCut }) =>
              data.length === 0 ? (
                <EmptyState icon="search" title={`No matching ${registry.noun}s`}>
                  No name, title or description contains “{text}”.
                </EmptyState>
              ) : (
                <>
                  {table(data)}
                  {isCut && <p className={`${cardStyles.foot} small muted`}>More results exist; refine the search.</p>}
                </>
              )
            }
          </Loaded>
        ) : (
          <Loaded query={list} padded>
            {({ data = [], nextPageToken }) =>
              data.length === 0 && pages.page === 1 ? (
                <EmptyState icon={icon} title={empty.title} action={empty.action}>
                  {empty.text}
                </EmptyState>
              ) : (
                <>
                  {table(data)}
                  <Pager
                    page={pages.page}
                    pageSize={pageSize}
                    hasNext={nextPageToken !== undefined}
                    onPage={(page) => pages.goTo(page, nextPageToken)}
                  />
                </>
              )
            }
          </Loaded>
        )}
      </Card>
    </>
  );
}

export function isShared({ sharingScope }: Entry): boolean {
  return sharingScope === 'workspace';
}
