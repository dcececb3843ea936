import type { Database, Migration } from '../src/kit/db/index.ts';

/** What a list is searched by: `$` is a row in all expressions. Texts are folded as the condition of the list folds them. */
type Searched = { list: string; scope?: string; texts: string[]; columns: string[] };

const inWorkspace = (list: string, texts: string[], columns: string[]): Searched => ({
  list,
  scope: '$.workspace_id',
  texts,
  columns,
});
const inOrganization = (list: string, ...columns: string[]): Searched => ({
  list,
  scope: '$.organization_id',
  texts: columns.map((column) => `lower($.${column})`),
  columns,
});
const NAME_AND_SLUG = [
  ['lower($.name)', '$.slug'],
  ['name', 'slug'],
] as const satisfies [string[], string[]];

const SEARCHED: Searched[] = [
  inWorkspace('files', ['$.filename_folded'], ['filename_folded']),
  inWorkspace('libraries', ['$.name_folded'], ['name_folded']),
  { list: 'library_documents', scope: '$.library_id', texts: ['$.name_folded'], columns: ['name_folded'] },
  inWorkspace('agents', ['lower($.name)', 'lower($.description)'], ['name', 'description']),
  inWorkspace('custom_voices', ['lower($.name)'], ['name']),
  inWorkspace('datasets', ['$.folded'], ['folded']),
  inWorkspace('judges', ['$.folded'], ['folded']),
  inWorkspace('evaluation_projects', ...NAME_AND_SLUG),
  inWorkspace('evaluation_pipelines', ...NAME_AND_SLUG),
  inWorkspace('evaluation_pipeline_configs', ...NAME_AND_SLUG),
  inOrganization('user_groups', 'name'),
  inOrganization('workspaces', 'name'),
  inOrganization('api_keys', 'name', 'hint'),
  inOrganization('service_accounts', 'name', 'description'),
  // A user may belong to several organizations.
  {
    list: 'users',
    texts: ['lower(coalesce($.pending_email, $.service_name, $.email))'],
    columns: ['pending_email', 'service_name', 'email'],
  },
];

/** The end of the scope's id first, so that a search in one scope meets few rows of others. */
function textOf(kind: Database['kind'], { scope, texts }: Searched, row: string): string {
  const separator = kind === 'sqlite' ? 'char(31)' : 'chr(31)';
  const place = scope ? [kind === 'sqlite' ? `substr(${scope}, -6)` : `right(${scope}, 6)`] : [];
  return [...place, ...texts.map((text) => `coalesce(${text}, '')`)]
    .join(` || ${separator} || `)
    .replaceAll('$.', row === '' ? '' : `${row}.`);
}

const indexRows = (one: Searched) => [
  `insert into listed_texts (list, id) select '${one.list}', id from ${one.list} order by rowid`,
  `insert into listed_words (rowid, text) select t.number, ${textOf('sqlite', one, 'r')}
    from listed_texts as t join ${one.list} as r on r.id = t.id where t.list = '${one.list}' order by t.number`,
];

function sqliteIndex(one: Searched): string[] {
  const { list, columns } = one;
  const number = (row: string) => `(select number from listed_texts where list = '${list}' and id = ${row}.id)`;
  const add = `insert into listed_words (rowid, text) values (${number('new')}, ${textOf('sqlite', one, 'new')});`;
  const remove = `delete from listed_words where rowid = ${number('old')};`;
  return [
    ...indexRows(one),
    `create trigger ${list}_worded_came after insert on ${list}
      begin insert into listed_texts (list, id) values ('${list}', new.id); ${add} end`,
    `create trigger ${list}_worded_went after delete on ${list}
      begin ${remove} delete from listed_texts where list = '${list}' and id = old.id; end`,
    `create trigger ${list}_worded_moved after update of ${columns} on ${list}
      when ${columns.map((column) => `old.${column} is not new.${column}`).join(' or ')} begin ${remove} ${add} end`,
  ];
}

/** Without a list of what is to be indexed later, which every search would read as a whole. */
const postgresIndex = (one: Searched) =>
  `create index ${one.list}_by_letters on ${one.list} using gin (letters_of(${textOf('postgres', one, '')})) with (fastupdate = off)`;

/** Three letters at a time, so that a search for a part of a name reads only the names that may have it. */
export const listedTexts: Migration = {
  name: '0077-listed-texts',
  oldestProgram: '0.1.0',
  up: ({ text }, kind) =>
    kind === 'sqlite'
      ? [
          `create table listed_texts (number integer primary key, list ${text} not null, id ${text} not null)`,
          'create unique index listed_texts_by_row on listed_texts (list, id)',
          `create virtual table listed_words using fts5 (text, content = '', contentless_delete = 1, detail = none,
            tokenize = 'trigram case_sensitive 1')`,
          `insert into listed_words (listed_words, rank) values ('secure-delete', 1)`,
          ...SEARCHED.flatMap(sqliteIndex),
        ]
      : [
          `create function letters_of(text) returns text[] language sql immutable strict parallel safe cost 1000 as
            $$ select coalesce(array_agg(distinct substr($1, n, 3)), '{}') from generate_series(1, length($1) - 2) as n $$`,
          ...SEARCHED.map(postgresIndex),
        ],
};
