import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import { EmptyState } from './empty-state.tsx';
import { SearchField } from './field.tsx';
import type { IconName } from './icon.tsx';
import { Loaded } from './loaded.tsx';
import { type Column, Table } from './table.tsx';

export type ObjectListProps<Data, Row> = {
  query: UseQueryResult<Data>;
  rowsOf: (data: Data) => readonly Row[];
  rowKey: (row: Row) => string;
  columns: readonly Column<Row>[];
  /** Shown while there is nothing yet. */
  empty: { icon: IconName; title: string; text: string };
  /** The field above the list, and what is said when nothing matches. */
  search?: { label: string; value: string; onChange: (value: string) => void; nothing: string; why?: string };
  /** Other filters above the list, and what is said when they leave nothing. */
  filters?: { fields: ReactNode; isUsed: boolean; nothing: string; why: string };
  /** A later page that is empty keeps its table and pager. */
  isFirstPage?: boolean;
  /** Below the table, for a pager. */
  footer?: (data: Data) => ReactNode;
};

type Props<Data, Row> = ObjectListProps<Data, Row> & {
  caption: string;
  /** The button that makes the first one. */
  action?: ReactNode;
};

/** Objects of one kind as a table, with their filters, and with what they are for while there are none. */
export function ObjectList<Data, Row>(props: Props<Data, Row>) {
  const { caption, query, rowsOf, rowKey, columns, empty, action, search, filters } = props;
  const { isFirstPage = true, footer } = props;
  const narrowedBy = search?.value ? search : filters?.isUsed ? filters : undefined;
  return (
    <>
      {search && (
        <SearchField
          label={search.label}
          value={search.value}
          onChange={(event) => search.onChange(event.target.value)}
        />
      )}
      {filters?.fields}
      <Card flush>
        <Loaded query={query} padded>
          {(data) =>
            rowsOf(data).length > 0 || !isFirstPage ? (
              <>
                <Table caption={caption} rows={rowsOf(data)} rowKey={rowKey} columns={columns} />
                {footer?.(data)}
              </>
            ) : narrowedBy ? (
              <EmptyState icon="search" title={narrowedBy.nothing}>
                {narrowedBy.why}
              </EmptyState>
            ) : (
              <EmptyState icon={empty.icon} title={empty.title} action={action}>
                {empty.text}
              </EmptyState>
            )
          }
        </Loaded>
      </Card>
    </>
  );
}
