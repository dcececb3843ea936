import type { Database, Migration } from '../src/kit/db/index.ts';

/** Counts the distinct `member` values of each `scope`; `row` distinguishes two rows of one member. */
type Tally = { table: string; noun: string; scope: string; member: string; row?: string };

const TALLIES: Tally[] = [
  { table: 'organization_members', noun: 'members', scope: 'organization_id', member: 'user_id', row: 'role' },
  { table: 'workspace_members', noun: 'members', scope: 'workspace_id', member: 'user_id', row: 'role' },
  { table: 'invitations', noun: 'invitations', scope: 'organization_id', member: 'id' },
  { table: 'user_groups', noun: 'user_groups', scope: 'organization_id', member: 'id' },
  { table: 'user_group_members', noun: 'members', scope: 'group_id', member: 'user_id' },
  { table: 'user_group_workspaces', noun: 'workspaces', scope: 'group_id', member: 'workspace_id', row: 'role' },
];

const UP = `on conflict (scope_id, noun) do update set amount = tallies.amount + 1`;

/**
 * Triggers keep the totals right for every writer of these tables. They fire before each row, when both databases show
 * the effect of the statement on earlier rows, so a member added or removed with two roles counts once.
 */
function tallyTriggers(kind: Database['kind'], { table, noun, scope, member, row }: Tally): string[] {
  const others = (side: 'new' | 'old', more = '') =>
    `not exists (select 1 from ${table} where ${scope} = ${side}.${scope} and ${member} = ${side}.${member}${more})`;
  const isFirst = others('new');
  const isLast = row ? others('old', ` and ${row} <> old.${row}`) : 'true';
  const raise = `insert into tallies (scope_id, noun, amount) values (new.${scope}, '${noun}', 1) ${UP};`;
  const lower = `update tallies set amount = amount - 1 where scope_id = old.${scope} and noun = '${noun}';`;
  return triggers(kind, table, [
    { event: 'insert', name: 'came', when: isFirst, act: raise },
    { event: 'delete', name: 'went', when: isLast, act: lower },
  ]);
}

/** A workspace counts as either active or archived. */
function workspaceTriggers(kind: Database['kind']): string[] {
  const add = (noun: string) => `insert into tallies (scope_id, noun, amount)
    values (new.organization_id, '${noun}', 1) ${UP};`;
  const leave = `update tallies set amount = amount - 1 where scope_id = old.organization_id and noun = 'workspaces';`;
  return triggers(kind, 'workspaces', [
    { event: 'insert', name: 'came', when: 'new.archived_at is null', act: add('workspaces') },
    {
      event: 'update',
      name: 'archived',
      when: 'old.archived_at is null and new.archived_at is not null',
      act: `${leave} ${add('archived_workspaces')}`,
    },
  ]);
}

type Trigger = { event: 'insert' | 'update' | 'delete'; name: string; when: string; act: string };

function triggers(kind: Database['kind'], table: string, wanted: Trigger[]): string[] {
  return wanted.flatMap(({ event, name, when, act }) => {
    const trigger = `${table}_${name}`;
    if (kind === 'sqlite')
      return [`create trigger ${trigger} before ${event} on ${table} when ${when} begin ${act} end`];
    const row = event === 'delete' ? 'old' : 'new';
    return [
      `create function ${trigger}() returns trigger language plpgsql as
        $$ begin if ${when} then ${act} end if; return ${row}; end $$`,
      `create trigger ${trigger} before ${event} on ${table} for each row execute function ${trigger}()`,
    ];
  });
}

function countExisting({ table, noun, scope, member }: Tally): string {
  return `insert into tallies (scope_id, noun, amount)
    select ${scope}, '${noun}', count(distinct ${member}) from ${table} group by ${scope}`;
}

export const administration: Migration = {
  name: '0014-administration',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint }, kind) => [
    `create table tallies (
      scope_id ${text} not null,
      noun ${text} not null,
      amount ${bigint} not null,
      primary key (scope_id, noun)
    )`,

    `alter table users add column password_hash ${text}`,
    'create index users_by_folded_email on users (lower(email))',
    'create index organization_members_by_date on organization_members (organization_id, created_at, user_id)',
    `create index api_keys_in_use on api_keys (organization_id, created_at, id)
      where revoked_at is null and kind = 'standard'`,
    'create index api_keys_by_user on api_keys (user_id)',

    `create table invitations (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      email ${text} not null,
      roles ${json} not null,
      workspace_ids ${json} not null,
      language ${text},
      delivery ${text} not null,
      created_at ${text} not null,
      expires_at ${text} not null,
      unique (organization_id, email)
    )`,
    'create index invitations_by_date on invitations (organization_id, created_at, id)',

    `create table user_groups (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      name ${text} not null,
      description ${text},
      target_type ${text},
      organization_role ${text},
      created_at ${text} not null
    )`,
    'create index user_groups_by_date on user_groups (organization_id, created_at, id)',
    `create table user_group_parents (
      child_id ${text} not null references user_groups (id),
      parent_id ${text} not null references user_groups (id),
      primary key (child_id, parent_id)
    )`,
    'create index user_group_parents_by_parent on user_group_parents (parent_id)',
    `create table user_group_members (
      group_id ${text} not null references user_groups (id),
      user_id ${text} not null references users (id),
      created_at ${text} not null,
      primary key (group_id, user_id)
    )`,
    'create index user_group_members_by_user on user_group_members (user_id)',
    'create index user_group_members_by_date on user_group_members (group_id, created_at, user_id)',
    `create table user_group_workspaces (
      group_id ${text} not null references user_groups (id),
      workspace_id ${text} not null references workspaces (id),
      role ${text} not null,
      created_at ${text} not null,
      primary key (group_id, workspace_id, role)
    )`,
    'create index user_group_workspaces_by_workspace on user_group_workspaces (workspace_id)',

    ...TALLIES.map(countExisting),
    `insert into tallies (scope_id, noun, amount)
      select organization_id, 'workspaces', count(*) from workspaces where archived_at is null group by organization_id`,
    `insert into tallies (scope_id, noun, amount)
      select organization_id, 'archived_workspaces', count(*) from workspaces
      where archived_at is not null group by organization_id`,
    ...TALLIES.flatMap((tally) => tallyTriggers(kind, tally)),
    ...workspaceTriggers(kind),
  ],
};
