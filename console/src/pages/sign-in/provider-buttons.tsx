import { useMutation, useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';

type Provider = { id: string; name: string };

/** One button per provider of the configuration; nothing where there is none. */
export function ProviderButtons({ to }: { to: string }) {
  const { data } = useQuery({
    queryKey: ['providers'],
    queryFn: () => api.get<{ providers: Provider[] }>('/console/api/sign-in'),
    staleTime: 60_000,
  });
  const start = useMutation({
    mutationFn: ({ id }: Provider) => api.post<{ url: string }>(`/console/api/sign-in/${id}`, { to }),
    onSuccess: ({ url }) => location.assign(url),
  });
  if (!data || data.providers.length === 0) return null;
  return (
    <div className="stack-tight">
      {data.providers.map((provider) => (
        <Button key={provider.id} busy={start.isPending} onClick={() => start.mutate(provider)}>
          {`Sign in with ${provider.name}`}
        </Button>
      ))}
      <ErrorNotice error={start.error} />
    </div>
  );
}
