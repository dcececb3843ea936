import { randomUUID } from 'node:crypto';
import SqliteConnection from 'better-sqlite3';
import { answer } from './answer.ts';

// Inserts users directly, as fast as SQLite allows, into a database that a stopped server has created.
const [file = ''] = process.argv.slice(2);
/** So that a page of users costs the same in every size. */
const WORKSPACES_EACH = 2.5;

type Size = { users: number; workspaces: number; groups: number };

answer({ fill });

/** Every user is in the default workspace, in the first group, and in two or three of the other workspaces. */
function fill({ users, workspaces, groups }: Size): void {
  const connection = new SqliteConnection(file);
  connection.pragma('synchronous = OFF');
  const organization = (connection.prepare('select id from organizations').get() as { id: string }).id;
  const home = (connection.prepare('select id from workspaces').get() as { id: string }).id;
  const insert = {
    user: connection.prepare(
      `insert into users (id, email, first_name, last_name, created_at) values (?, ?, 'Ann', ?, ?)`,
    ),
    member: connection.prepare(`insert into organization_members values (?, ?, ?, ?)`),
    workspace: connection.prepare(
      `insert into workspaces (id, organization_id, name, description, icon, is_default, created_at)
        values (?, ?, ?, '', '', 0, ?)`,
    ),
    place: connection.prepare(`insert into workspace_members values (?, ?, 'workspace_contributor', ?)`),
    group: connection.prepare(`insert into user_groups (id, organization_id, name, created_at) values (?, ?, ?, ?)`),
    inGroup: connection.prepare('insert into user_group_members values (?, ?, ?)'),
    key: connection.prepare(
      `insert into api_keys (id, kind, organization_id, workspace_id, user_id, name, hash, hint, is_irregular, created_at)
        values (?, 'standard', ?, ?, ?, ?, ?, 'abcd', 0, ?)`,
    ),
  };
  const each = Math.ceil((users * WORKSPACES_EACH) / workspaces);
  connection.transaction(() => {
    const people = Array.from({ length: users }, (_, n) => {
      const [id, time] = [randomUUID(), timeOf(n)];
      insert.user.run(id, `user${n}@example.test`, `Number ${n}`, time);
      insert.member.run(organization, id, 'member', time);
      if (n % 10 === 0) insert.member.run(organization, id, 'billing_manager', time);
      insert.place.run(home, id, time);
      insert.key.run(randomUUID(), organization, home, id, `Key ${n}`, randomUUID(), time);
      return id;
    });
    for (let n = 0; n < workspaces; n++) {
      const id = randomUUID();
      insert.workspace.run(id, organization, `Workspace ${n}`, timeOf(n));
      for (let i = 0; i < each; i++) insert.place.run(id, people[(n * each + i) % users] ?? '', timeOf(i));
    }
    for (let n = 0; n < groups; n++) {
      const id = randomUUID();
      insert.group.run(id, organization, `Group ${n}`, timeOf(n));
      for (const person of n === 0 ? people : []) insert.inGroup.run(id, person, timeOf(n));
    }
  })();
  connection.close();
}

function timeOf(n: number): string {
  return new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString().replace('Z', '000Z');
}
