import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { JudgeDialog } from './judge-dialog.tsx';
import { type Judge, judgePath, judgesKey, judgesQuery, pageSize } from './queries.ts';
import { TryDialog } from './try-dialog.tsx';

type Opened = { kind: 'new' } | { kind: 'edit' | 'try'; judge: Judge };

export function JudgesPage() {
  const [opened, setOpened] = useState<Opened>();
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const query = useQuery(judgesQuery(page, search));
  const add = (
    <Button look="primary" icon="plus" onClick={() => setOpened({ kind: 'new' })}>
      New judge
    </Button>
  );
  const close = () => setOpened(undefined);
  return (
    <Page title="Judges" lead="Models that say how good an answer is, in your words." actions={add}>
      <SearchField
        label="Search judges"
        value={search}
        onChange={(event) => {
          setSearch(event.target.value);
          setPage(1);
        }}
      />
      <Card flush>
        <Loaded query={query} padded>
          {({ results = [], count }) =>
            results.length === 0 ? (
              search ? (
                <EmptyState icon="search" title="No judge matches" />
              ) : (
                <EmptyState icon="check" title="No judge yet" action={add}>
                  Say what a good answer is. Judges then give each answer a verdict with its reason.
                </EmptyState>
              )
            ) : (
              <>
                <JudgeTable judges={results} onOpen={setOpened} />
                <Pager page={page} onPage={setPage} pageSize={pageSize} total={count} />
              </>
            )
          }
        </Loaded>
      </Card>
      {opened?.kind === 'new' && <JudgeDialog onClose={close} />}
      {opened?.kind === 'edit' && <JudgeDialog judge={opened.judge} onClose={close} />}
      {opened?.kind === 'try' && <TryDialog judge={opened.judge} onClose={close} />}
    </Page>
  );
}

function JudgeTable({ judges, onOpen }: { judges: readonly Judge[]; onOpen: (opened: Opened) => void }) {
  const client = useQueryClient();
  const confirm = useConfirm();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: (judge: Judge) => api.delete(judgePath(judge.id)),
    onSuccess: async (_, { name }) => {
      toast.success(`${name} was deleted.`);
      await client.invalidateQueries({ queryKey: judgesKey });
    },
    onError: toast.error,
  });
  const askToRemove = async (judge: Judge) => {
    const body = 'Verdicts that it has given stay.';
    if (await confirm({ title: `Delete ${judge.name}?`, body, action: 'Delete judge', danger: true }))
      remove.mutate(judge);
  };
  return (
    <Table
      caption="Judges"
      rows={judges}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Judge',
          cell: ({ name, description }) => (
            <div className="breakable">
              <strong>{name}</strong>
              {description && <div className="muted">{description}</div>}
            </div>
          ),
        },
        { header: 'Answers', cell: ({ output }) => <Badge>{answersOf(output)}</Badge> },
        { header: 'Model', low: true, cell: ({ model_name }) => model_name },
        { header: 'Changed', low: true, cell: ({ updated_at }) => <Time value={updated_at} /> },
        {
          header: 'Actions',
          kind: 'actions',
          cell: (judge) => (
            <div className="row">
              <Button small icon="play" onClick={() => onOpen({ kind: 'try', judge })}>
                Try
              </Button>
              <Menu
                label={`Actions of ${judge.name}`}
                items={[
                  { label: 'Edit', onSelect: () => onOpen({ kind: 'edit', judge }) },
                  { label: 'Delete', danger: true, onSelect: () => void askToRemove(judge) },
                ]}
              />
            </div>
          ),
        },
      ]}
    />
  );
}

function answersOf(output: Judge['output']): string {
  if (output.type === 'REGRESSION') return `${output.min} to ${output.max}`;
  return output.options.map(({ value }) => value).join(', ');
}
