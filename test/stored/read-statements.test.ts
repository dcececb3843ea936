import { beforeAll, expect, it } from 'vitest';
import { call } from '../support/call.ts';
import { recordStatements } from '../support/count-statements.ts';
import { onEachDatabase } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

// Not the polls of every process: tasks, events, signals.
const OF_READERS = /users|members|api_keys|workspaces|organizations|versioned_objects|object_/;

onEachDatabase('the statements of a read', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(database);
    const definition = { content: 'Say {{what}}', variables: [{ name: 'what' }] };
    const made = await call(server, '/v2/prompts', { body: { name: 'warm', definition, aliases: ['main'] } });
    expect(made.status).toBe(200);
  });

  // Where several servers may write, the newest version of an object is looked up; its text is in memory there too.
  const lookups = database.kind === 'sqlite' ? 0 : 1;
  it.each([
    ['/v1/users/me', 0],
    ['/v2/prompts/warm?alias=main', lookups],
    ['/v2/prompts/warm', lookups],
  ])('%s, once it was read, takes %i: the key and its owner are in memory', async (path, each) => {
    const first = await call(server, path);
    const recorded = recordStatements(OF_READERS);
    for (let i = 0; i < 3; i++) expect((await call(server, path)).text).toBe(first.text);
    // The time of a key's last use is written every ten seconds.
    const reads = recorded.statements.filter((text) => text.startsWith('select'));
    expect(reads).toHaveLength(3 * each);
  });
});
