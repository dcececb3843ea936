import type { Migration } from '../src/kit/db/index.ts';

/**
 * What still grew with a million rows. The function of 0084 walked all counts of a list, because a plan for any owners does not
 * look them up one by one. Trees of executions had no order: whether any of many children is open was found by reading all,
 * and so were earlier runs of an execution.
 */
export const placesAndTrees: Migration = {
  name: '0085-places-and-trees',
  oldestProgram: '0.1.0',
  up: (_, kind) => [
    // Open runs, which have no end, come first.
    `create index workflow_runs_by_tree on workflow_runs
      (workspace_id, root_execution_id, ended_at${kind === 'sqlite' ? '' : ' nulls first'})`,
    'drop index workflow_runs_by_root',
    'create index workflow_runs_earlier on workflow_runs (workspace_id, execution_id, started_at, run_id) where not is_latest',
    ...(kind === 'sqlite' ? [] : [FUNCTION]),
  ],
};

const counts = (owner: string) => `
      select b.block, b.amount from listed_counts as b
      where b.list = a_list and b.scope = a_scope and b.owner = ${owner} and b.span = a_span
        and b.block > low and b.block < high and (parts is null or b.part = any(parts))`;

/** `offset 0` keeps the counts of an owner apart, so that they are looked up by the whole key. Mostly there is one owner. */
const ofOne = counts('owners[1]');
const ofMany = `
      select c.block, c.amount from unnest(owners) as o (name) cross join lateral (${counts('o.name')} offset 0) as c`;

/** A block may come several times in a row, with the rows of one part, or of one owner, each. */
const loop = (select: string, order: 'asc' | 'desc') => `
    for counted in ${select} order by block ${order} loop
      if counted.block <> last then
        last := counted.block;
        rest := unskipped;
      end if;
      if unskipped < counted.amount then
        block := last;
        exit;
      end if;
      unskipped := unskipped - counted.amount;
    end loop;`;

/** One plan for all values: they differ in nothing that a plan could be better for, and planning takes longer than reading. */
const FUNCTION = `create or replace function place_of_page(a_list text, a_scope text, owners text[], parts text[], skipped bigint,
  is_descending boolean, out block text, out rest bigint) language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  counted record;
  a_span text;
  last text;
  unskipped bigint;
  low text := '';
  high text := '~';
begin
  rest := skipped;
  foreach a_span in array array['day', 'hour', 'minute'] loop
    block := null;
    last := '';
    unskipped := rest;
    if cardinality(owners) = 1 and is_descending then ${loop(ofOne, 'desc')}
    elsif cardinality(owners) = 1 then ${loop(ofOne, 'asc')}
    elsif is_descending then ${loop(ofMany, 'desc')}
    else ${loop(ofMany, 'asc')}
    end if;
    exit when block is null;
    low := block;
    high := block || '~';
  end loop;
end $$`;
