import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { pageSize, schedulesQuery } from './queries.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { ScheduleTable } from './schedule-table.tsx';
import { WorkflowTabs } from './workflow-tabs.tsx';

export function SchedulesPage() {
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim());
  const pages = usePages(search);
  const query = useQuery(schedulesQuery({ search, cursor: pages.cursor }));
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button look="primary" icon="plus" onClick={() => setIsAdding(true)}>
      New schedule
    </Button>
  );
  return (
    <Page title="Schedules" lead="Start workflows by cron expression or at an interval." actions={add}>
      <WorkflowTabs />
      <SearchField label="Search schedules" value={typed} onChange={(event) => setTyped(event.target.value)} />
      <Card flush>
        <Loaded query={query} padded>
          {({ schedules, next_page_token }) =>
            schedules.length === 0 && pages.page === 1 ? (
              <EmptyState icon="clock" title={search === '' ? 'No schedule yet' : 'No matching schedules'}>
                {search === ''
                  ? 'A schedule starts a workflow by cron expression or at an interval.'
                  : `No ID or workflow contains “${search}”.`}
              </EmptyState>
            ) : (
              <>
                <ScheduleTable schedules={schedules} />
                <Pager
                  page={pages.page}
                  pageSize={pageSize}
                  hasNext={Boolean(next_page_token)}
                  onPage={(page) => pages.goTo(page, next_page_token)}
                />
              </>
            )
          }
        </Loaded>
      </Card>
      {isAdding && <ScheduleDialog onClose={() => setIsAdding(false)} />}
    </Page>
  );
}
