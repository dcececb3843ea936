import { useMutation, useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { isOrganizationAdmin, useSession } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { quarantineQuery } from './queries.ts';

/** Stored work that was set aside because it ended the server; nothing when there is none. */
export function QuarantineCard() {
  const isAdmin = isOrganizationAdmin(useSession());
  const { data, refetch } = useQuery({ ...quarantineQuery, enabled: isAdmin });
  const toast = useToast();
  const retry = useMutation({
    mutationFn: (id: string) => api.post(`/console/api/quarantine/${id}/retry`),
    onSuccess: () => void refetch(),
    onError: (error) => toast.error(error),
  });
  const dismiss = useMutation({
    mutationFn: (id: string) => api.delete(`/console/api/quarantine/${id}`),
    onSuccess: () => void refetch(),
    onError: (error) => toast.error(error),
  });
  if (!data?.items.length) return null;
  return (
    <Card title="Set aside">
      <p>
        The server, or a worker, died three times while it worked on these. Find the cause in its log before you retry
        one.
      </p>
      <ul className="stack-tight">
        {data.items.map(({ id, queue, about, quarantined_at, instead }) => (
          <li key={id} className="row row-between">
            <span className="breakable">
              <strong>{queue}</strong>{' '}
              {Object.entries(about).map(([name, value]) => (
                <span key={name} className="muted small">
                  {name} {value}{' '}
                </span>
              ))}
              <Time value={quarantined_at} />
            </span>
            {instead === null ? (
              <Button onClick={() => retry.mutate(id)} disabled={retry.isPending}>
                Retry
              </Button>
            ) : (
              <>
                <span className="muted small">{instead}</span>
                <Button onClick={() => dismiss.mutate(id)} disabled={dismiss.isPending}>
                  Dismiss
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
