import type { Migration } from '../src/kit/db/index.ts';

/**
 * Where a page of a counted list begins, on PostgreSQL: the block and how many of its rows to skip. As a function, whose
 * statements are planned once for a connection: planning them takes longer than reading some dozens of counts.
 */
export const placeOfAPage: Migration = {
  name: '0084-place-of-a-page',
  oldestProgram: '0.1.0',
  up: (_, kind) => (kind === 'sqlite' ? [] : [FUNCTION]),
};

/** The loops differ in their order alone, which a statement that is planned once must have written out. */
const loop = (order: 'asc' | 'desc') => `
  for blocks in
    select c.block, sum(c.amount)::bigint as amount from listed_counts as c
    where c.list = a_list and c.scope = a_scope and c.owner = any(owners) and c.span = a_span
      and c.block > low and c.block < high and (parts is null or c.part = any(parts))
    group by c.block order by c.block ${order}
  loop
    if rest < blocks.amount then
      block := blocks.block;
      exit;
    end if;
    rest := rest - blocks.amount;
  end loop;`;

const FUNCTION = `create function place_of_page(a_list text, a_scope text, owners text[], parts text[], skipped bigint, is_descending boolean,
  out block text, out rest bigint) language plpgsql stable as $$
declare
  blocks record;
  a_span text;
  low text := '';
  high text := '~';
begin
  rest := skipped;
  foreach a_span in array array['day', 'hour', 'minute'] loop
    block := null;
    if is_descending then ${loop('desc')} else ${loop('asc')} end if;
    exit when block is null;
    low := block;
    high := block || '~';
  end loop;
end $$`;
