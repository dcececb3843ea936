import { useMutation, useQuery } from '@tanstack/react-query';
import type { ConsoleProviders } from '../../../../src/console/schema/sign-in.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { Notice } from '../../ui/notice.tsx';

type Provider = ConsoleProviders['providers'][number];

const providersQuery = {
  queryKey: ['providers'],
  queryFn: () => api.get<ConsoleProviders>('/console/api/sign-in'),
  staleTime: 60_000,
};

/** One button per provider of the configuration; nothing where there is none. */
export function ProviderButtons({ to }: { to: string }) {
  const { data } = useQuery(providersQuery);
  return <StartButtons providers={data?.providers ?? []} label="Sign in with" start={{ to }} />;
}

/** `start` goes along to the provider and back. */
export function StartButtons(props: {
  providers: Provider[];
  label: string;
  start: { to: string } | { invitation: string };
}) {
  const { providers, label } = props;
  const start = useMutation({
    mutationFn: ({ id }: Provider) => api.post<{ url: string }>(`/console/api/sign-in/${id}`, props.start),
    onSuccess: ({ url }) => location.assign(url),
  });
  if (providers.length === 0) return null;
  return (
    <div className="stack-tight">
      {providers.map((provider) => (
        <Button key={provider.id} busy={start.isPending} onClick={() => start.mutate(provider)}>
          {`${label} ${provider.name}`}
        </Button>
      ))}
      <ErrorNotice error={start.error} />
    </div>
  );
}

/** For a sign-in that no account is joined to: the other way is to be signed in with the password. */
export function MailedJoin() {
  const { data } = useQuery(providersQuery);
  const ask = useMutation({ mutationFn: () => api.post('/console/api/links') });
  if (!data?.joins_by_mail) return null;
  if (ask.isSuccess)
    return (
      <Notice>
        If your address at the provider is that of an account with a password, a mail is on its way. Open its link in
        this browser, within the hour.
      </Notice>
    );
  return (
    <div className="stack-tight">
      <Button busy={ask.isPending} onClick={() => ask.mutate()}>
        Mail a link to join my account
      </Button>
      <ErrorNotice error={ask.error} />
    </div>
  );
}
