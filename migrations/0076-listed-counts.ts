import type { Database, Migration } from '../src/kit/db/index.ts';

/**
 * How the rows of a table are counted. `$` is a row in all expressions. `owner` is '' where all of the scope see the row;
 * `part` holds what lists filter by; `place` is where the row is in the order of the list, as text.
 */
type Counted = {
  list: string;
  table: string;
  scope: string;
  owner?: string;
  part?: string[];
  place?: { text: string; lengths: [day: number, hour: number, minute: number] };
  bytes?: string;
  /** The columns whose change moves a row to another count. */
  changes?: string[];
  /** Only the first of several rows with the same value counts: another row differs in `row`. */
  distinct?: { member: string; row: string };
};

const BY_CREATION = { text: '$.created_at', lengths: [10, 13, 16] } satisfies Counted['place'];
/** Positions are whole numbers: in thousands, as text that sorts with leading zeros. "Minutes" are thousands then. */
const byPosition = (kind: Database['kind']) => {
  const text = kind === 'sqlite' ? `printf('%010d', $.position / 1000)` : `lpad(($.position / 1000)::text, 10, '0')`;
  return { text, lengths: [6, 8, 10] } satisfies Counted['place'];
};

const inWorkspace = (list: string, more: Partial<Counted> = {}): Counted => ({
  list,
  table: list,
  scope: '$.workspace_id',
  ...more,
});
const yes = (condition: string) => `case when ${condition} then '1' else '0' end`;

const counted = (kind: Database['kind']): Counted[] => [
  inWorkspace('files', {
    owner: `case when $.visibility = 'workspace' then '' else $.user_id end`,
    part: ['$.purpose', '$.source', '$.sample_type'],
  }),
  inWorkspace('libraries', { owner: `case when $.owner_type = 'Workspace' then '' else $.owner_id end` }),
  {
    list: 'library_documents',
    table: 'library_documents',
    scope: '$.library_id',
    bytes: '$.bytes',
    changes: ['bytes'],
  },
  inWorkspace('batch_jobs', { part: ['$.status'], changes: ['status'] }),
  inWorkspace('batch_jobs', { list: 'own_batch_jobs', owner: '$.user_id', part: ['$.status'], changes: ['status'] }),
  inWorkspace('conversations', { owner: '$.user_id' }),
  inWorkspace('agents'),
  inWorkspace('custom_voices'),
  inWorkspace('datasets'),
  { list: 'dataset_records', table: 'dataset_records', scope: '$.dataset_id', place: byPosition(kind) },
  { list: 'dataset_imports', table: 'dataset_imports', scope: '$.dataset_id', part: ['$.status'], changes: ['status'] },
  inWorkspace('judges', { part: ['$.output_type'], changes: ['output_type'] }),
  inWorkspace('evaluation_projects'),
  { list: 'evaluations', table: 'evaluations', scope: '$.project_id' },
  inWorkspace('evaluation_runs'),
  { list: 'runs_of_evaluations', table: 'evaluation_runs', scope: '$.evaluation_id' },
  inWorkspace('evaluation_optimizations'),
  inWorkspace('evaluation_pipelines', { part: [yes('$.enabled')], changes: ['enabled'] }),
  inWorkspace('evaluation_pipeline_configs', { part: ['$.kind', yes('$.enabled')], changes: ['kind', 'enabled'] }),
  {
    list: 'organization_members',
    table: 'organization_members',
    scope: '$.organization_id',
    distinct: { member: 'user_id', row: 'role' },
  },
  { list: 'user_groups', table: 'user_groups', scope: '$.organization_id' },
  { list: 'user_group_members', table: 'user_group_members', scope: '$.group_id' },
  {
    list: 'workspaces',
    table: 'workspaces',
    scope: '$.organization_id',
    part: [yes('$.archived_at is null')],
    changes: ['archived_at'],
  },
  {
    list: 'api_keys',
    table: 'api_keys',
    scope: '$.organization_id',
    part: [yes(`$.revoked_at is null and $.kind = 'standard'`)],
    changes: ['revoked_at'],
  },
  {
    list: 'service_accounts',
    table: 'service_accounts',
    scope: '$.organization_id',
    part: [yes('$.deleted_at is null')],
    changes: ['deleted_at'],
  },
];

const COLUMNS = 'list, scope, owner, span, block, part, amount, bytes';
const KEY = 'list, scope, owner, span, block, part';
const ADD = `on conflict (${KEY}) do update set amount = listed_counts.amount + excluded.amount,
  bytes = listed_counts.bytes + excluded.bytes`;

const partOf = ({ part = [] }: Counted) =>
  part.length === 0 ? `''` : part.map((one) => `coalesce(${one}, '')`).join(` || '|' || `);
const bytesOf = ({ bytes }: Counted) => (bytes ? `coalesce(${bytes}, 0)` : '0');
const spansOf = ({ place: { text, lengths } = BY_CREATION }: Counted): [span: string, block: string][] => [
  ['all', `''`],
  ['day', `substr(${text}, 1, ${lengths[0]})`],
  ['hour', `substr(${text}, 1, ${lengths[1]})`],
  ['minute', `substr(${text}, 1, ${lengths[2]})`],
];

/** The counts of one row, as values; `sign` is 1 or -1. */
function values(one: Counted, row: string, sign: 1 | -1): string[] {
  const { list, scope, owner = `''` } = one;
  return spansOf(one).map(([span, block]) =>
    `('${list}', ${scope}, ${owner}, '${span}', ${block}, ${partOf(one)}, ${sign}, ${sign} * ${bytesOf(one)})`.replaceAll(
      '$.',
      `${row}.`,
    ),
  );
}

/** What a table has now. */
function selectCounts(one: Counted): string[] {
  const { table, list, scope, owner = `''`, distinct } = one;
  const amount = distinct ? `count(distinct r.${distinct.member})` : 'count(*)';
  return spansOf(one).map(([span, block]) =>
    `select '${list}' as list, ${scope} as scope, ${owner} as owner, '${span}' as span, ${block} as block, ${partOf(one)} as part,
      ${amount} as amount, sum(${bytesOf(one)}) as bytes from ${table} as r group by 2, 3, 5, 6`.replaceAll('$.', 'r.'),
  );
}

/** Statements that count all rows again; what they find equals what the triggers have kept. */
export const recounts = (kind: Database['kind']): string[] => counted(kind).flatMap(selectCounts);

const differs = (columns: readonly string[], operator: string) =>
  columns.map((column) => `old.${column} ${operator} new.${column}`).join(' or ');

/** Counts that became zero are removed, so that a list that was emptied leaves nothing. */
function removeZeros(one: Counted): string[] {
  const { list, scope, owner = `''` } = one;
  return spansOf(one).map(([span, block]) =>
    `delete from listed_counts where list = '${list}' and scope = ${scope} and owner = ${owner} and span = '${span}'
        and block = ${block} and part = ${partOf(one)} and amount = 0`.replaceAll('$.', 'old.'),
  );
}

const othersOf = ({ table, scope, distinct }: Counted, side: 'new' | 'old') => {
  if (!distinct) return 'true';
  const { member, row } = distinct;
  const place = scope.slice(2);
  const more = side === 'old' ? ` and ${row} <> old.${row}` : '';
  return `not exists (select 1 from ${table} where ${place} = ${side}.${place} and ${member} = ${side}.${member}${more})`;
};

function sqliteTriggers(one: Counted): string[] {
  const { list, table, changes = [], distinct } = one;
  // Before a row that may be one of several, when both databases show the effect of the statement on earlier rows.
  const moment = distinct ? 'before' : 'after';
  const add = (rows: string[]) => `insert into listed_counts (${COLUMNS}) values ${rows.join(', ')} ${ADD};`;
  const zeros = removeZeros(one).map((statement) => `${statement};`);
  return [
    `create trigger ${list}_listed_came ${moment} insert on ${table} when ${othersOf(one, 'new')}
      begin ${add(values(one, 'new', 1))} end`,
    `create trigger ${list}_listed_went ${moment} delete on ${table} when ${othersOf(one, 'old')}
      begin ${add(values(one, 'old', -1))} ${zeros.join(' ')} end`,
    ...(changes.length === 0
      ? []
      : [
          `create trigger ${list}_listed_moved after update of ${changes} on ${table} when ${differs(changes, 'is not')}
            begin ${add(values(one, 'old', -1))} ${zeros.join(' ')} ${add(values(one, 'new', 1))} end`,
        ]),
  ];
}

/** One statement for all rows of a statement, in the order of the key, so that writers never wait for each other in a circle. */
const addGroups = (from: string) => `insert into listed_counts (${COLUMNS})
  select ${KEY}, sum(amount), sum(bytes) from (${from}) as rows_of (${COLUMNS})
  group by ${KEY} having sum(amount) <> 0 or sum(bytes) <> 0 order by ${KEY} ${ADD};`;

function postgresTriggers(one: Counted): string[] {
  const { list, table, changes = [], distinct } = one;
  const fn = (name: string, body: string, result: string) =>
    `create function ${list}_listed_${name}() returns trigger language plpgsql as $$ begin ${body} return ${result}; end $$`;
  const rows = (lines: string[]) => addGroups(`values ${lines.join(', ')}`);
  const zeros = removeZeros(one).map((statement) => `${statement};`);
  const each = (name: string, event: string, when = '') =>
    `create trigger ${list}_listed_${name} ${event} on ${table} for each row ${when} execute function ${list}_listed_${name}()`;
  const moved =
    changes.length === 0
      ? []
      : [
          fn('moved', `${rows([...values(one, 'old', -1), ...values(one, 'new', 1)])} ${zeros.join(' ')}`, 'null'),
          each('moved', `after update of ${changes}`, `when (${differs(changes, 'is distinct from')})`),
        ];
  if (distinct)
    return [
      fn('came', `if ${othersOf(one, 'new')} then ${rows(values(one, 'new', 1))} end if;`, 'new'),
      each('came', 'before insert'),
      fn('went', `if ${othersOf(one, 'old')} then ${rows(values(one, 'old', -1))} ${zeros.join(' ')} end if;`, 'old'),
      each('went', 'before delete'),
      ...moved,
    ];
  const ofAll = (sign: 1 | -1) =>
    addGroups(`select c.* from rows as r cross join lateral (values ${values(one, 'r', sign).join(', ')}) as c`);
  const emptied = `delete from listed_counts where list = '${list}' and amount = 0 and (${KEY}) in
    (select ${KEY} from rows as r cross join lateral (values ${values(one, 'r', 1).join(', ')}) as c (${COLUMNS}));`;
  return [
    fn('came', ofAll(1), 'null'),
    `create trigger ${list}_listed_came after insert on ${table} referencing new table as rows
      for each statement execute function ${list}_listed_came()`,
    fn('went', ofAll(-1) + emptied, 'null'),
    `create trigger ${list}_listed_went after delete on ${table} referencing old table as rows
      for each statement execute function ${list}_listed_went()`,
    ...moved,
  ];
}

/** How many rows each list has, as a whole, by day, hour and minute: for totals, and for pages far from the start. */
export const listedCounts: Migration = {
  name: '0076-listed-counts',
  oldestProgram: '0.1.0',
  up: ({ text, bigint }, kind) => [
    `create table listed_counts (
      list ${text} not null,
      scope ${text} not null,
      owner ${text} not null,
      span ${text} not null,
      block ${text} not null,
      part ${text} not null,
      amount ${bigint} not null,
      bytes ${bigint} not null,
      primary key (${KEY})
    ) ${kind === 'sqlite' ? 'without rowid' : 'with (fillfactor = 70)'}`,
    ...recounts(kind).map((select) => `insert into listed_counts (${COLUMNS}) ${select}`),
    ...counted(kind).flatMap(kind === 'sqlite' ? sqliteTriggers : postgresTriggers),
    'create index connectors_by_creation on connectors (organization_id, created_at, id)',
    'create index agents_of_a_name on agents (workspace_id, name, created_at, id)',
    'create index files_by_purpose on files (workspace_id, purpose, created_at, id)',
  ],
};
