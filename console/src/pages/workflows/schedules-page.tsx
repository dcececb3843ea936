import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { ListPage } from '../../ui/list-page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { pageSize, schedulesQuery } from './queries.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { scheduleColumns } from './schedule-table.tsx';
import { WorkflowTabs } from './workflow-tabs.tsx';

export function SchedulesPage() {
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim());
  const pages = usePages(search);
  const query = useQuery(schedulesQuery({ search, cursor: pages.cursor }));
  return (
    <ListPage
      title="Schedules"
      lead="Start workflows by cron expression or at an interval."
      tabs={<WorkflowTabs />}
      add={{ label: 'New schedule', dialog: (close) => <ScheduleDialog onClose={close} /> }}
      search={{
        ...{ label: 'Search schedules', value: typed, onChange: setTyped, nothing: 'No matching schedules' },
        why: `No ID or workflow contains “${search}”.`,
      }}
      query={query}
      rowsOf={({ schedules }) => schedules}
      rowKey={({ schedule_id }) => schedule_id}
      isFirstPage={pages.page === 1}
      empty={{
        icon: 'clock',
        title: 'No schedule yet',
        text: 'A schedule starts a workflow by cron expression or at an interval.',
      }}
      columns={scheduleColumns}
      footer={({ next_page_token }) => (
        <Pager
          page={pages.page}
          pageSize={pageSize}
          hasNext={Boolean(next_page_token)}
          onPage={(page) => pages.goTo(page, next_page_token)}
        />
      )}
    />
  );
}
