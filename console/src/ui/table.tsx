import type { ReactNode } from 'react';
import { ScrollBox } from './scroll-box.tsx';
import styles from './table.module.css';

export type Column<Row> = {
  header: string;
  cell: (row: Row) => ReactNode;
  /** `end` aligns numbers right; `actions` hides the header visually. */
  kind?: 'text' | 'end' | 'actions';
  /** Hidden on narrow screens. */
  low?: boolean;
};

type Props<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
};

/** For one page of rows; long lists use Pager or VirtualList. */
export function Table<Row>({ caption, columns, rows, rowKey }: Props<Row>) {
  const cellClass = ({ kind, low }: Column<Row>) => [kind && styles[kind], low && styles.low].filter(Boolean).join(' ');
  return (
    <ScrollBox label={caption} className={styles.scroll}>
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.header} scope="col" className={cellClass(column)}>
                {column.kind === 'actions' ? <span className="visually-hidden">{column.header}</span> : column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.header} className={cellClass(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
