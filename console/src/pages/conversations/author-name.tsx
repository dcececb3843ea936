import { nameOf, useNames } from '../../api/names.ts';

/** An agent's name or a model's ID. */
export function AuthorName({ by }: { by: string | undefined }) {
  const isAgent = by?.startsWith('ag_') ?? false;
  const names = useNames([isAgent ? by : undefined]);
  return <>{isAgent && by ? nameOf(names, by, 'agent') : (by ?? 'Assistant')}</>;
}
