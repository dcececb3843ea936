import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Card } from './card.tsx';
import { EmptyState } from './empty-state.tsx';
import { SearchField } from './field.tsx';
import type { IconName } from './icon.tsx';
import { Loaded } from './loaded.tsx';
import { Page } from './page.tsx';
import { type Column, Table } from './table.tsx';

type Props<Data, Row> = {
  title: string;
  lead: string;
  /** The button that makes one, and the dialog that it opens. */
  add: { label: string; dialog: (close: () => void) => ReactNode };
  query: UseQueryResult<Data>;
  rowsOf: (data: Data) => readonly Row[];
  rowKey: (row: Row) => string;
  columns: readonly Column<Row>[];
  /** Shown while there is nothing yet. */
  empty: { icon: IconName; title: string; text: string };
  /** The field above the list, and what is said when nothing matches. */
  search?: { label: string; value: string; onChange: (value: string) => void; nothing: string };
  /** A later page that is empty keeps its table and pager. */
  isFirstPage?: boolean;
  /** Below the table, for a pager. */
  footer?: (data: Data) => ReactNode;
  /** Dialogs that rows open. */
  children?: ReactNode;
};

/** One kind of object: a table, what it is for while it is empty, and a dialog to make one. */
export function ListPage<Data, Row>(props: Props<Data, Row>) {
  const { title, lead, add, query, rowsOf, rowKey, columns, empty, search, footer, children } = props;
  const { isFirstPage = true } = props;
  const [isAdding, setAdding] = useState(false);
  const button = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {add.label}
    </Button>
  );
  return (
    <Page title={title} lead={lead} actions={button}>
      {search && (
        <SearchField
          label={search.label}
          value={search.value}
          onChange={(event) => search.onChange(event.target.value)}
        />
      )}
      <Card flush>
        <Loaded query={query} padded>
          {(data) =>
            rowsOf(data).length === 0 && isFirstPage ? (
              search?.value ? (
                <EmptyState icon="search" title={search.nothing} />
              ) : (
                <EmptyState icon={empty.icon} title={empty.title} action={button}>
                  {empty.text}
                </EmptyState>
              )
            ) : (
              <>
                <Table caption={title} rows={rowsOf(data)} rowKey={rowKey} columns={columns} />
                {footer?.(data)}
              </>
            )
          }
        </Loaded>
      </Card>
      {isAdding && add.dialog(() => setAdding(false))}
      {children}
    </Page>
  );
}
