import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { usePages } from '../../ui/use-pages.ts';
import type { ExecutionSearch } from './execution-search.ts';
import { executionColumns, keyOfExecution } from './execution-table.tsx';
import { executionsQuery, pageSize, workflowsQuery } from './queries.ts';
import { type ExecutionStatus, statuses } from './statuses.ts';
import { WorkflowTabs } from './workflow-tabs.tsx';
import styles from './workflows.module.css';

const route = getRouteApi('/shell/workflows/executions');

const times = [
  { value: '', label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
] as const;

export function ExecutionsPage() {
  const search = route.useSearch();
  const pages = usePages(JSON.stringify(search));
  const query = useQuery(executionsQuery(search, pages.cursor));
  return (
    <ListPage
      title="Executions"
      lead="All workflow executions, newest first."
      tabs={<WorkflowTabs />}
      filters={{
        fields: <Filters search={search} />,
        isUsed: Object.keys(search).length > 0,
        nothing: 'No matching executions',
        why: 'No execution in this workspace matches all filters.',
      }}
      query={query}
      rowsOf={({ executions }) => executions}
      rowKey={keyOfExecution}
      isFirstPage={pages.page === 1}
      empty={{
        icon: 'flow',
        title: 'No executions yet',
        text: 'Run a workflow to see its executions and their timelines here.',
      }}
      columns={executionColumns}
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

function Filters({ search }: { search: ExecutionSearch }) {
  const navigate = route.useNavigate();
  const workflows = useQuery(workflowsQuery({ show: 'current', search: '', cursor: undefined }));
  const names = workflows.data?.workflows.map(({ name }) => name) ?? [];
  const set = (change: { [Name in keyof ExecutionSearch]: ExecutionSearch[Name] | undefined }) => {
    const next = Object.fromEntries(
      Object.entries({ ...search, ...change }).filter(([, value]) => value),
    ) as ExecutionSearch;
    void navigate({ search: next, replace: true });
  };
  return (
    <div className={styles.filters}>
      <TypedText label="Search" value={search.search ?? ''} onSettle={(text) => set({ search: text })} />
      <SelectField
        label="Workflow"
        value={search.workflow ?? ''}
        onChange={(workflow) => set({ workflow })}
        options={[
          { value: '', label: 'All workflows' },
          ...[...new Set([...names, ...(search.workflow ? [search.workflow] : [])])].map((name) => ({
            value: name,
            label: name,
          })),
        ]}
      />
      <SelectField
        label="Status"
        value={search.status ?? ''}
        onChange={(status) => set({ status: status as ExecutionStatus })}
        options={[
          { value: '', label: 'Any status' },
          ...Object.entries(statuses).map(([value, { label }]) => ({ value, label })),
        ]}
      />
      <SelectField
        label="Started"
        value={search.since ?? ''}
        onChange={(since) => set({ since: since === '' ? undefined : since })}
        options={times}
      />
      <KeyFilter value={search.key ?? ''} onSettle={(key) => set({ key })} />
      <div className={styles.filtersChecks}>
        <CheckField
          label="Waiting for input"
          checked={search.waiting ?? false}
          onChange={(event) => set({ waiting: event.target.checked || undefined })}
        />
        <CheckField
          label="Started by me"
          checked={search.mine ?? false}
          onChange={(event) => set({ mine: event.target.checked || undefined })}
        />
        {Object.keys(search).length > 0 && (
          <Button look="quiet" small icon="close" onClick={() => void navigate({ search: {}, replace: true })}>
            Clear filters
          </Button>
        )}
      </div>
    </div>
  );
}

const SETTLE_MS = 250;

/** Debounces typed text. */
function useSettled(value: string, onSettle: (text: string) => void) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onSettle(typed.trim()), SETTLE_MS);
    return () => clearTimeout(timer);
  });
  return [typed, setTyped] as const;
}

function TypedText({ label, value, onSettle }: { label: string; value: string; onSettle: (text: string) => void }) {
  const [typed, setTyped] = useSettled(value, onSettle);
  return (
    <TextField
      label={label}
      type="search"
      placeholder="Part of an ID or name"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

function KeyFilter({ value, onSettle }: { value: string; onSettle: (text: string) => void }) {
  const [typed, setTyped] = useSettled(value, (text) => {
    // Incomplete until there is text on both sides of the colon.
    if (text === '' || /^[^:]+:.+$/.test(text)) onSettle(text);
  });
  return (
    <TextField
      label="Search key"
      placeholder="order:4711"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}
