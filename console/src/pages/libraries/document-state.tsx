import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../ui/badge.tsx';
import { Progress } from '../../ui/progress.tsx';
import { adviceFor } from './advice.ts';
import { type Document, progressQuery } from './queries.ts';

/** Where a document stands: waiting, being read with its progress, ready, or failed with what to do. */
export function DocumentState({ document }: { document: Document }) {
  const { process_status: status } = document;
  const isOpen = status !== 'done' && status !== 'noop';
  const { data } = useQuery({ ...progressQuery(document), enabled: isOpen });
  if (status === 'done')
    return (
      <Badge tone="success" dot>
        Ready
      </Badge>
    );
  if (status === 'noop') return <Badge>Unpacked</Badge>;
  if (status === 'error' || status === 'missing_content') return <Failure error={data?.error ?? undefined} />;
  if (status === 'in_progress')
    return <Progress label="Reading" value={shareOf(data?.progress)} note={data?.progress ?? undefined} />;
  return <Badge tone="accent">{status === 'waiting_for_capacity' ? 'Waiting for a free model' : 'Waiting'}</Badge>;
}

function Failure({ error }: { error: string | undefined }) {
  const [code = '', ...words] = (error ?? '').split(': ');
  return (
    <div className="stack-tight">
      <div>
        <Badge tone="danger" dot>
          Failed
        </Badge>
      </div>
      {words.length > 0 && (
        <div className="small">
          {words.join(': ')} <span className="muted">{adviceFor(code)}</span>
        </div>
      )}
    </div>
  );
}

/** "3 of 10 pages" as a part of the whole. */
function shareOf(progress: string | null | undefined): number | undefined {
  const [, done, all] = /^(\d+) of (\d+)/.exec(progress ?? '') ?? [];
  return done && all ? Number(done) / Number(all) : undefined;
}
