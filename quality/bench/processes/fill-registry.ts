import { createHash } from 'node:crypto';
import SqliteConnection from 'better-sqlite3';
import { answer } from './answer.ts';

// Inserts prompts directly, as fast as SQLite allows, into a database that a stopped server has created.
const [file = ''] = process.argv.slice(2);
const VERSIONS_EACH = 10;
const WORD_COUNT = 40;

answer({ fill });

/** Half of the versions in one long history, the others ten to a prompt, named p0, p1 …, each with an alias. */
function fill(versions: number): { prompts: number } {
  const connection = new SqliteConnection(file);
  connection.pragma('journal_mode = OFF');
  connection.pragma('synchronous = OFF');
  const owner = connection.prepare('select workspace_id, user_id from workspace_members').get() as {
    workspace_id: string;
    user_id: string;
  };
  const prompts = versions / 2 / VERSIONS_EACH;
  const write = writers(connection, owner);
  connection.transaction(() => {
    write(0, 'long', versions / 2);
    for (let i = 0; i < prompts; i++) write(i + 1, `p${i}`, VERSIONS_EACH);
  })();
  connection.pragma('journal_mode = WAL');
  connection.close();
  return { prompts };
}

function writers(
  connection: SqliteConnection.Database,
  { workspace_id, user_id }: { workspace_id: string; user_id: string },
) {
  const object = connection.prepare(
    `insert into versioned_objects (id, kind, workspace_id, audience, owner_id, name, title, description, latest_version,
      revision, created_at, updated_at) values (?, 'prompt', ?, '', ?, ?, ?, '', ?, ?, ?, ?)`,
  );
  const version = connection.prepare(
    `insert into object_versions (object_id, version, digest, definition, notes, author_id, created_at)
      values (?, ?, ?, ?, '', ?, ?)`,
  );
  const alias = connection.prepare(
    `insert into object_aliases (object_id, alias, version, kind, workspace_id, audience)
      values (?, 'main', ?, 'prompt', ?, '')`,
  );
  return (number: number, name: string, count: number) => {
    const id = `0198c0de-0000-7000-8000-${String(number).padStart(12, '0')}`;
    const time = new Date(Date.UTC(2026, 0, 1) + number * 10).toISOString().replace('Z', '000Z');
    object.run(id, workspace_id, user_id, name, `Title of ${name}`, count, count, time, time);
    for (let i = 1; i <= count; i++) {
      const content = `Version ${i} of ${name}: ${'word '.repeat(WORD_COUNT)}{{topic}}`;
      const definition = JSON.stringify({ content, variables: [{ name: 'topic' }] });
      version.run(id, i, createHash('sha256').update(definition).digest('hex'), definition, user_id, time);
    }
    alias.run(id, count - 1, workspace_id);
  };
}
