import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import type { ConsoleAccount, ConsoleSessions } from '../../../../src/console/schema/account.ts';
import { api } from '../../api/api.ts';
import { sessionQuery } from '../../api/session.ts';
import { useToast } from '../../ui/toast.tsx';

export type OwnSession = z.infer<typeof ConsoleSessions>['sessions'][number];

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: () => api.get<ConsoleAccount>('/console/api/account'),
});

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: () => api.get<z.infer<typeof ConsoleSessions>>('/console/api/sessions'),
});

/** A change of the account; the session is read again too, since it tells what the organization still asks for. */
export function useAccountChange<Input, Output>(options: {
  run: (input: Input) => Promise<Output>;
  done?: string;
  after?: (output: Output) => void;
}) {
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: options.run,
    onSuccess: async (output) => {
      await client.invalidateQueries({ queryKey: accountQuery.queryKey });
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      if (options.done) toast.success(options.done);
      options.after?.(output);
    },
  });
}
