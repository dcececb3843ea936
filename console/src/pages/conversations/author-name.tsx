import { useQuery } from '@tanstack/react-query';
import { agentQuery } from './queries.ts';

/** Who spoke: an agent by its name, a model by its id. */
export function AuthorName({ by }: { by: string | undefined }) {
  const isAgent = by?.startsWith('ag_') ?? false;
  const agent = useQuery(agentQuery(isAgent && by ? by : ''));
  return <>{agent.data?.name ?? by ?? 'Assistant'}</>;
}
