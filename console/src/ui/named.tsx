import { nameOf, useNames } from '../api/names.ts';

/** The name behind an id, which stays in the tooltip. Many in a list share one request through `useNames` of the list. */
export function Named({ id, what, among }: { id: string; what: string; among?: readonly string[] }) {
  const names = useNames(among ?? [id]);
  return (
    <span className="breakable" title={id}>
      {nameOf(names, id, what)}
    </span>
  );
}
