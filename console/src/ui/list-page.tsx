import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { ObjectList, type ObjectListProps } from './object-list.tsx';
import { Page } from './page.tsx';

type Props<Data, Row> = ObjectListProps<Data, Row> & {
  title: string;
  lead: string;
  /** The button that makes one and the dialog that it opens, or a link to where one is made. */
  add?: { label: string; dialog: (close: () => void) => ReactNode } | { link: ReactNode };
  /** Tabs to the other lists of the area. */
  tabs?: ReactNode;
  /** Dialogs that rows open. */
  children?: ReactNode;
};

/** One kind of object: a table, what it is for while it is empty, and a dialog to make one. */
export function ListPage<Data, Row>({ title, lead, add, tabs, children, ...list }: Props<Data, Row>) {
  const [isAdding, setAdding] = useState(false);
  const button =
    add && 'label' in add ? (
      <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
        {add.label}
      </Button>
    ) : (
      add?.link
    );
  return (
    <Page title={title} lead={lead} actions={button}>
      {tabs}
      <ObjectList caption={title} action={button} {...list} />
      {isAdding && add && 'dialog' in add && add.dialog(() => setAdding(false))}
      {children}
    </Page>
  );
}
