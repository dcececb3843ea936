import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ConsoleSession } from '../../../src/console/schema/session.ts';
import { ApiError, api } from './api.ts';
import { queryClient } from './query-client.ts';
import { credentials } from './request.ts';

export type Session = ConsoleSession;

const workspaceKey = 'tramontane.workspace';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => adopt(await api.get<Session>('/console/api/session')),
  staleTime: 60_000,
  gcTime: Number.POSITIVE_INFINITY,
  retry: (failures, error) => !(error instanceof ApiError && error.status === 401) && failures < 2,
});

export async function signIn(email: string, password: string, code: string): Promise<Session> {
  const body = { email, password, ...(code.trim() ? { code: code.trim() } : {}) };
  return begin(await api.post<Session>('/console/api/session', body));
}

/** Clears data cached for the previous user before the new session is used. */
export function begin(session: Session): Session {
  queryClient.clear();
  sessionStorage.clear();
  queryClient.setQueryData(sessionQuery.queryKey, adopt(session));
  return session;
}

/**
 * The caller navigates to the sign-in page and then calls `end`: the current page needs its session until then. Returns
 * the address at which the browser signs out of its provider, if it came from one.
 */
export async function signOut(everywhere: boolean): Promise<string | undefined> {
  if (everywhere) return void (await api.delete('/console/api/sessions'));
  return (await api.delete<{ sign_out_url: string | null }>('/console/api/session')).sign_out_url ?? undefined;
}

/** Clears the cache once no page uses it. */
export function end(): void {
  credentials.csrfToken = undefined;
  queryClient.clear();
  sessionStorage.clear();
}

/** For pages behind the sign-in, which the shell renders only with a session. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('a page that needs a session was drawn without one');
  return data;
}

export function useWorkspace(): Session['workspaces'][number] | undefined {
  const { workspaces } = useSession();
  return workspaces.find(({ id }) => id === credentials.workspaceId) ?? workspaces[0];
}

export function isOrganizationAdmin(session: Session): boolean {
  return session.user.role === 'organization_admin';
}

export async function chooseWorkspace(id: string): Promise<void> {
  localStorage.setItem(workspaceKey, id);
  credentials.workspaceId = id;
  await queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
}

function adopt(session: Session): Session {
  const remembered = localStorage.getItem(workspaceKey);
  const chosen = session.workspaces.find(({ id }) => id === remembered) ?? session.workspaces[0];
  credentials.csrfToken = session.csrf_token;
  credentials.workspaceId = chosen?.id;
  return session;
}
