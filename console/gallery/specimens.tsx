import { type ComponentType, useState } from 'react';
import { ApiError } from '../src/api/api-error.ts';
import { Badge } from '../src/ui/badge.tsx';
import { Button } from '../src/ui/button.tsx';
import { CodeBlock } from '../src/ui/code-block.tsx';
import { useConfirm } from '../src/ui/confirm.tsx';
import { Diff } from '../src/ui/diff.tsx';
import { DropField } from '../src/ui/drop-field.tsx';
import { EmptyState } from '../src/ui/empty-state.tsx';
import { EntityDialog } from '../src/ui/entity-dialog.tsx';
import { ErrorState } from '../src/ui/error-state.tsx';
import { Facts } from '../src/ui/facts.tsx';
import { CheckField, SearchField, SelectField, TextAreaField, TextField } from '../src/ui/field.tsx';
import { Markdown } from '../src/ui/markdown.tsx';
import { Menu } from '../src/ui/menu.tsx';
import { Notice } from '../src/ui/notice.tsx';
import { Pager } from '../src/ui/pager.tsx';
import { Progress } from '../src/ui/progress.tsx';
import { Segments } from '../src/ui/segments.tsx';
import { Skeleton } from '../src/ui/skeleton.tsx';
import { Spinner } from '../src/ui/spinner.tsx';
import { Table } from '../src/ui/table.tsx';
import { Tabs } from '../src/ui/tabs.tsx';
import { useToast } from '../src/ui/toast.tsx';
import { VirtualList } from '../src/ui/virtual-list.tsx';

const FAILED = new ApiError(503, 'The model does not answer.', { requestId: '01a1eaa9-3f7c-7639-82b4-563463ee33ab' });
const WINDS = [
  { name: 'Tramontane', from: 'north', knots: 32 },
  { name: 'Sirocco', from: 'south-east', knots: 18 },
];
/** As lists of the console do: an estimate that is not the height is corrected row by row. */
const ROW_PX = 32;
const MANY = Array.from({ length: 100_000 }, (_, at) => ({
  ...{ id: at, name: `Row ${at + 1}`, height: ROW_PX + ((at * 7) % 5) * 12 },
}));

function Buttons() {
  return (
    <div className="row">
      <Button>Default</Button>
      <Button look="primary" icon="plus">
        Primary
      </Button>
      <Button look="danger">Danger</Button>
      <Button look="quiet" small>
        Quiet and small
      </Button>
      <Button busy>Busy</Button>
      <Button disabled>Disabled</Button>
      <Button icon="trash" iconOnly>
        Delete
      </Button>
      <Spinner />
    </div>
  );
}

function Fields() {
  return (
    <div className="stack">
      <TextField label="Name" hint="Letters and digits." defaultValue="winds" />
      <TextField label="Address" error="This is not an address." defaultValue="nowhere" />
      <TextAreaField label="Instructions" code defaultValue="Answer in one sentence." />
      <SelectField
        label="Model"
        value="small"
        options={[
          { value: 'small', label: 'Small' },
          { value: 'large', label: 'Large', group: 'Slow' },
        ]}
        onChange={() => undefined}
      />
      <CheckField label="Notify me" hint="By e-mail." defaultChecked />
      <SearchField label="Search winds" />
    </div>
  );
}

function Choices() {
  const [segment, setSegment] = useState('day');
  const [tab, setTab] = useState('text');
  const toast = useToast();
  const options = ['day', 'week', 'month'].map((value) => ({ value, label: value }));
  return (
    <div className="stack">
      <Segments label="Period" options={options} value={segment} onChange={setSegment} />
      <Segments full label="Wide period" options={options} value={segment} onChange={setSegment} />
      <Tabs
        label="Parts"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'text', label: 'Text' },
          { value: 'history', label: 'History' },
        ]}
      >
        <p>{`The part ${tab}.`}</p>
      </Tabs>
      <Menu
        label="Actions of Tramontane"
        items={[
          { label: 'Rename', onSelect: () => toast.success('Renamed.') },
          { label: 'Delete', danger: true, onSelect: () => toast.success('Deleted.') },
        ]}
      />
    </div>
  );
}

function Dialogs() {
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);
  const [name, setName] = useState('');
  const [answer, setAnswer] = useState('nothing yet');
  const confirm = useConfirm();
  const remove = async () => {
    const question = { title: 'Delete Tramontane?', body: 'It stops blowing.', action: 'Delete', danger: true };
    setAnswer((await confirm(question)) ? 'deleted' : 'kept');
  };
  return (
    <div className="row">
      <Button onClick={() => setOpen(true)}>New wind</Button>
      <Button onClick={() => void remove()}>Delete wind</Button>
      <output>{answer}</output>
      {isOpen && (
        <EntityDialog
          title="New wind"
          action="Create wind"
          save={{ isPending, error: isPending ? null : FAILED }}
          isIncomplete={name === ''}
          onSave={() => setPending(true)}
          onClose={() => setOpen(false)}
        >
          <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
        </EntityDialog>
      )}
    </div>
  );
}

function States() {
  return (
    <div className="stack">
      <EmptyState icon="list" title="No wind yet" action={<Button look="primary">New wind</Button>}>
        Winds that you add are listed here.
      </EmptyState>
      <ErrorState error={FAILED} onRetry={() => undefined} />
      <Skeleton lines={2} label="A wait" />
      <Progress label="Reading" value={0.4} />
      {(['info', 'success', 'warning', 'danger'] as const).map((tone) => (
        <Notice key={tone} tone={tone}>{`A notice: ${tone}.`}</Notice>
      ))}
      <div className="row">
        {(['neutral', 'accent', 'success', 'warning', 'danger', 'violet'] as const).map((tone) => (
          <Badge key={tone} tone={tone} dot>
            {tone}
          </Badge>
        ))}
      </div>
    </div>
  );
}

function Texts() {
  return (
    <div className="stack">
      <Markdown
        text={
          '# Winds\n\nThe **tramontane** is `cold`.\n\n- north\n- dry\n\n| Wind | From |\n|---|---|\n| Sirocco | south |'
        }
      />
      <CodeBlock title="Request" language="ts" code={"const wind = await read('north'); // cold"} />
      <Diff before="Be brief." after="Be kind and brief." />
      <Facts
        facts={[
          ['From', 'north'],
          ['Knots', 32],
        ]}
      />
    </div>
  );
}

function Lists() {
  const [page, setPage] = useState(1);
  return (
    <div className="stack">
      <Table
        caption="Winds"
        rows={WINDS}
        rowKey={({ name }) => name}
        columns={[
          { header: 'Wind', cell: ({ name }) => name },
          { header: 'From', low: true, cell: ({ from }) => from },
          { header: 'Knots', kind: 'end', cell: ({ knots }) => knots },
        ]}
      />
      <Pager page={page} onPage={setPage} pageSize={2} total={7} />
      <VirtualList
        label="Rows"
        items={MANY}
        itemKey={({ id }) => String(id)}
        estimate={ROW_PX}
        height={160}
        render={({ name, height }) => <div style={{ height }}>{name}</div>}
      />
      <DropField label="Files" onFiles={() => undefined}>
        Drop files here.
      </DropField>
    </div>
  );
}

/** One entry per family of components; a new component joins one. */
export const specimens: readonly { name: string; Example: ComponentType }[] = [
  { name: 'buttons', Example: Buttons },
  { name: 'fields', Example: Fields },
  { name: 'choices', Example: Choices },
  { name: 'dialogs', Example: Dialogs },
  { name: 'states', Example: States },
  { name: 'texts', Example: Texts },
  { name: 'lists', Example: Lists },
];
