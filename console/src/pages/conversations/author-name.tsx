import { useQuery } from '@tanstack/react-query';
import { agentQuery } from './queries.ts';

/** An agent's name or a model's ID. */
export function AuthorName({ by }: { by: string | undefined }) {
  const isAgent = by?.startsWith('ag_') ?? false;
  const agent = useQuery(agentQuery(isAgent && by ? by : ''));
  return <>{agent.data?.name ?? by ?? 'Assistant'}</>;
}
