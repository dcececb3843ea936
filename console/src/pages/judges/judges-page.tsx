import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Time } from '../../ui/time.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { useSearch } from '../../ui/use-search.ts';
import { JudgeDialog } from './judge-dialog.tsx';
import { type Judge, judgePath, judgesKey, judgesQuery, pageSize } from './queries.ts';
import { TryDialog } from './try-dialog.tsx';

type Opened = { kind: 'edit' | 'try'; judge: Judge };

export function JudgesPage() {
  const [opened, setOpened] = useState<Opened>();
  const { search, page, setSearch, setPage } = useSearch();
  const query = useQuery(judgesQuery(page, search));
  const remove = useRemoval<Judge>({
    title: ({ name }) => `Delete ${name}?`,
    body: 'Verdicts that it has given stay.',
    action: 'Delete judge',
    run: ({ id }) => api.delete(judgePath(id)),
    done: ({ name }) => `${name} was deleted.`,
    reload: judgesKey,
  });
  const close = () => setOpened(undefined);
  return (
    <ListPage
      title="Judges"
      lead="Models that say how good an answer is, in your words."
      add={{ label: 'New judge', dialog: (done) => <JudgeDialog onClose={done} /> }}
      search={{ label: 'Search judges', value: search, onChange: setSearch, nothing: 'No judge matches' }}
      query={query}
      rowsOf={({ results = [] }) => results}
      rowKey={({ id }) => id}
      empty={{
        icon: 'check',
        title: 'No judge yet',
        text: 'Say what a good answer is. Judges then give each answer a verdict with its reason.',
      }}
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
              <Button small icon="play" onClick={() => setOpened({ kind: 'try', judge })}>
                Try
              </Button>
              <Menu
                label={`Actions of ${judge.name}`}
                items={[
                  { label: 'Edit', onSelect: () => setOpened({ kind: 'edit', judge }) },
                  { label: 'Delete', danger: true, onSelect: () => remove.ask(judge) },
                ]}
              />
            </div>
          ),
        },
      ]}
      footer={({ count }) => <Pager page={page} onPage={setPage} pageSize={pageSize} total={count} />}
    >
      {opened?.kind === 'edit' && <JudgeDialog judge={opened.judge} onClose={close} />}
      {opened?.kind === 'try' && <TryDialog judge={opened.judge} onClose={close} />}
    </ListPage>
  );
}

function answersOf(output: Judge['output']): string {
  if (output.type === 'REGRESSION') return `${output.min} to ${output.max}`;
  return output.options.map(({ value }) => value).join(', ');
}
