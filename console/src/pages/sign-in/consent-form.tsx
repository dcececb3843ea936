import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { api } from '../../api/api.ts';
import { begin, type Session } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';

/** For the owner of the invited account, who is signed in: joining is their decision. */
export function ConsentForm({ path, email }: { path: string; email: string }) {
  const router = useRouter();
  const leave = () => router.history.push(router.basepath);
  const accept = useMutation({
    mutationFn: () => api.post<Session>(`${path}/accept`),
    onSuccess: (session) => {
      begin(session);
      leave();
    },
  });
  const decline = useMutation({ mutationFn: () => api.post(`${path}/decline`), onSuccess: leave });
  return (
    <div className="stack">
      <p>
        You are signed in as <strong>{email}</strong>. The members of the organization will see your name and address.
      </p>
      <ErrorNotice error={accept.error ?? decline.error} />
      <div className="row">
        <Button look="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
          Join
        </Button>
        <Button busy={decline.isPending} onClick={() => decline.mutate()}>
          Decline
        </Button>
      </div>
    </div>
  );
}
