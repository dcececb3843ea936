import { useMutation, useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { begin, type Session, useSession } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useToast } from '../../ui/toast.tsx';
import { invitationsQuery } from './queries.ts';

/** Organizations that invite the signed-in account; nothing when there are none. */
export function InvitationsCard() {
  const mayJoin = useSession().permissions.includes('console:join');
  const { data, refetch } = useQuery({ ...invitationsQuery, enabled: mayJoin });
  const toast = useToast();
  const answer = useMutation({
    mutationFn: async ({ id, end }: { id: string; end: 'accept' | 'decline' }) => {
      const answered = await api.post<Session | undefined>(`/console/api/invitations/${id}/${end}`);
      if (answered && end === 'accept') begin(answered);
    },
    onSuccess: () => void refetch(),
    onError: (error) => toast.error(error),
  });
  if (!data?.invitations.length) return null;
  return (
    <Card title="Invitations">
      <ul className="stack-tight">
        {data.invitations.map(({ id, organization }) => (
          <li key={id} className="row row-between">
            <span>
              <strong>{organization.name}</strong> invites you. Its members will see your name and address.
            </span>
            <span className="row">
              <Button look="primary" onClick={() => answer.mutate({ id, end: 'accept' })}>
                Join
              </Button>
              <Button onClick={() => answer.mutate({ id, end: 'decline' })}>Decline</Button>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
