export type Page<T> = { object: 'list'; data: T[]; first_id: string | null; last_id: string | null; has_more: boolean };

/** One item more than the page shows says that there are more. */
export function toPage<T extends { id: string }>(found: readonly T[], limit: number): Page<T> {
  const data = found.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}
