import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatDuration, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Progress } from '../../ui/progress.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { JobStatus } from './job-status.tsx';
import { type BatchJob, batchKey, isOpen, jobPath, jobQuery } from './queries.ts';

export function JobPage() {
  const { jobId } = useParams({ from: '/shell/batch/$jobId' });
  const query = useQuery(jobQuery(jobId));
  return <Loaded query={query}>{(job) => <JobView job={job} />}</Loaded>;
}

function JobView({ job }: { job: BatchJob }) {
  const client = useQueryClient();
  const toast = useToast();
  const name = typeof job.metadata?.name === 'string' ? job.metadata.name : `Batch ${job.id.slice(0, 8)}`;
  const cancel = useMutation({
    mutationFn: () => api.post(`${jobPath(job.id)}/cancel`),
    onSuccess: () => client.invalidateQueries({ queryKey: batchKey }),
    onError: toast.error,
  });
  const save = useMutation({
    async mutationFn({ file, as }: { file: string; as: string }) {
      saveFile(as, await (await api.raw('GET', `/v1/files/${file}/content`, undefined)).blob());
    },
    onError: toast.error,
  });
  const { output_file, error_file } = job;
  const done = job.total_requests > 0 ? job.completed_requests / job.total_requests : undefined;
  return (
    <Page
      title={name}
      crumbs={<Link to="/batch">Batch</Link>}
      actions={
        <>
          {output_file && (
            <Button
              look="primary"
              icon="download"
              busy={save.isPending}
              onClick={() => save.mutate({ file: output_file, as: `${name}-results.jsonl` })}
            >
              Download results
            </Button>
          )}
          {error_file && (
            <Button icon="download" onClick={() => save.mutate({ file: error_file, as: `${name}-errors.jsonl` })}>
              Download errors
            </Button>
          )}
          {isOpen(job) && (
            <Button icon="stop" busy={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel
            </Button>
          )}
        </>
      }
    >
      <Card>
        <Progress
          label={isOpen(job) ? 'Running' : 'Completed'}
          value={done}
          note={`${formatNumber(job.completed_requests)} of ${formatNumber(job.total_requests)} requests`}
        />
      </Card>
      <Card title="Job">
        <Facts
          facts={[
            ['State', <JobStatus key="status" status={job.status} />],
            ['Succeeded', formatNumber(job.succeeded_requests)],
            ['Failed', formatNumber(job.failed_requests)],
            ['Endpoint', <code key="endpoint">{job.endpoint}</code>],
            ['Model', job.model ?? job.agent_id ?? 'As each request says'],
            ['Created', <Time key="created" value={job.created_at * 1000} />],
            ...(job.started_at && job.completed_at
              ? [['Took', formatDuration((job.completed_at - job.started_at) * 1000)] as const]
              : []),
            ['Id', <code key="id">{job.id}</code>],
          ]}
        />
      </Card>
      {job.errors.length > 0 && (
        <Card flush title="Errors">
          <Table
            caption="Errors"
            rows={job.errors}
            rowKey={({ message }) => message}
            columns={[
              { header: 'Message', cell: ({ message }) => <span className="breakable">{message}</span> },
              { header: 'Requests', kind: 'end', cell: ({ count }) => formatNumber(count) },
            ]}
          />
        </Card>
      )}
    </Page>
  );
}
