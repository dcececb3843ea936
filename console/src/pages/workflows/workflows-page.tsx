import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Segments } from '../../ui/segments.tsx';
import tableStyles from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { catalogueKey, pageSize, type WorkflowChoice, type WorkflowSummary, workflowsQuery } from './queries.ts';
import { RunDialog } from './run-dialog.tsx';
import { WorkflowTabs } from './workflow-tabs.tsx';
import styles from './workflows.module.css';

const shown = [
  { value: 'current', label: 'All' },
  { value: 'active', label: 'With worker' },
  { value: 'archived', label: 'Archived' },
] as const;

export function WorkflowsPage() {
  const [show, setShow] = useState<WorkflowChoice['show']>('current');
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim());
  const pages = usePages(`${show} ${search}`);
  const query = useQuery(workflowsQuery({ show, search, cursor: pages.cursor }));
  const [running, setRunning] = useState<WorkflowSummary>();
  return (
    <Page title="Workflows" lead="Durable workflows, registered by workers. Run them and follow their executions.">
      <WorkflowTabs />
      <div className="row row-between">
        <SearchField label="Search workflows" value={typed} onChange={(event) => setTyped(event.target.value)} />
        <Segments label="Filter workflows" options={shown} value={show} onChange={setShow} />
      </div>
      <Card flush>
        <Loaded query={query} padded>
          {({ workflows, next_cursor }) =>
            workflows.length === 0 && pages.page === 1 ? (
              <Empty show={show} search={search} />
            ) : (
              <>
                <WorkflowTable workflows={workflows} onRun={setRunning} />
                <Pager
                  page={pages.page}
                  pageSize={pageSize}
                  hasNext={next_cursor !== null}
                  onPage={(page) => pages.goTo(page, next_cursor)}
                />
              </>
            )
          }
        </Loaded>
      </Card>
      {running && <RunDialog workflow={running} onClose={() => setRunning(undefined)} />}
    </Page>
  );
}

function WorkflowTable({
  workflows,
  onRun,
}: {
  workflows: readonly WorkflowSummary[];
  onRun: (workflow: WorkflowSummary) => void;
}) {
  const archive = useArchive();
  return (
    <Table
      caption="Workflows"
      rows={workflows}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Workflow',
          cell: (workflow) => (
            <div className="stack-tight">
              <Link to="/workflows/$name" params={{ name: workflow.name }} className={`${tableStyles.link} breakable`}>
                {workflow.display_name}
              </Link>
              {workflow.description && <span className={`muted ${styles.twoLines}`}>{workflow.description}</span>}
            </div>
          ),
        },
        { header: 'Name', low: true, cell: ({ name }) => <code className="breakable">{name}</code> },
        {
          header: 'Tags',
          low: true,
          cell: ({ tags = [] }) => (
            <div className="row">
              {tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </div>
          ),
        },
        {
          header: 'Actions',
          kind: 'actions',
          cell: (workflow) => (
            <div className="row row-end">
              {!workflow.archived && (
                <Button small icon="play" aria-label={`Run ${workflow.display_name}`} onClick={() => onRun(workflow)}>
                  Run
                </Button>
              )}
              <Menu
                label={`Actions for ${workflow.display_name}`}
                items={[
                  {
                    label: workflow.archived ? 'Unarchive' : 'Archive',
                    onSelect: () => archive(workflow),
                  },
                ]}
              />
            </div>
          ),
        },
      ]}
    />
  );
}

/** Confirms before archiving; unarchiving needs no confirmation. */
export function useArchive(): (workflow: Pick<WorkflowSummary, 'name' | 'display_name' | 'archived'>) => void {
  const confirm = useConfirm();
  const toast = useToast();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ name, archived }: Pick<WorkflowSummary, 'name' | 'archived'>) =>
      api.put(`/v1/workflows/${encodeURIComponent(name)}/${archived ? 'unarchive' : 'archive'}`),
    onSuccess: (_, { archived }) => toast.success(archived ? 'Workflow unarchived.' : 'Workflow archived.'),
    onError: (error) => toast.error(error),
    onSettled: () => client.invalidateQueries({ queryKey: catalogueKey }),
  });
  return async (workflow) => {
    if (workflow.archived) return change.mutate(workflow);
    const isSure = await confirm({
      title: `Archive ${workflow.display_name}?`,
      body: 'It can no longer be started, manually or by schedule. Running executions continue. You can unarchive it at any time.',
      action: 'Archive',
    });
    if (isSure) change.mutate(workflow);
  };
}

function Empty({ show, search }: { show: WorkflowChoice['show']; search: string }) {
  if (search !== '')
    return (
      <EmptyState icon="search" title="No matching workflows">
        No name or description contains “{search}”. Change the search or check the archive.
      </EmptyState>
    );
  if (show === 'archived')
    return (
      <EmptyState icon="flow" title="No archived workflows">
        Archived workflows appear here.
      </EmptyState>
    );
  if (show === 'active')
    return (
      <EmptyState icon="flow" title="No workflow with an active worker">
        Start a worker; its workflows appear here within seconds.
      </EmptyState>
    );
  return (
    <div className={`stack ${styles.firstWorkflow}`}>
      <EmptyState icon="flow" title="No workflow yet">
        Workers register their workflows. Create a folder with a first workflow and start the platform with it:
      </EmptyState>
      <CodeBlock
        code={'npx tramontane init my-workflows\nnpx tramontane start --workflows my-workflows'}
        title="In a terminal"
      />
    </div>
  );
}
