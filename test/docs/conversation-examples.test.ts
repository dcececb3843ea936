import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runHere } from '../../src/cli/run-here-for-tests.ts';
import { readConfigFile } from '../../src/config/read-config-file.ts';
import { MODEL, startConversing } from '../../src/conversations/conversations-for-tests.ts';
import { call } from '../support/call.ts';
import { sqliteForTests, temporaryDir } from '../support/databases.ts';
import { startFakeMcp } from '../support/mcp-server.ts';
import { codeBlocks, readText } from './read-markdown.ts';

/** A curl command of a page as a request. */
function requestOf(block: string) {
  const [, path = ''] = /(?:TRAMONTANE_URL|127\.0\.0\.1:4747)(\/v\d\/[a-z/]+)/.exec(block) ?? [];
  return { path, body: JSON.parse(/-d '(.+)'/s.exec(block)?.[1] ?? '') as Record<string, unknown> };
}

it('the page on connectors: its file is read, its commands run and its request is answered', async () => {
  const page = readText('docs/connectors.md');
  const [yaml = ''] = codeBlocks(page, 'yaml');
  const [commands = '', request = ''] = codeBlocks(page, 'sh');
  const wiki = await startFakeMcp([{ name: 'search_pages' }, { name: 'edit_page' }, { name: 'delete_page' }]);
  const declared = parse(yaml) as { connectors: Record<string, unknown>[] };
  const file = join(temporaryDir(), 'tramontane.yaml');
  writeFileSync(file, yaml);
  expect(readConfigFile(file, { WIKI_TOKEN: 'token' }).connectors).toHaveLength(2);

  const connectors = declared.connectors.map((one) => ({ ...one, url: wiki.url }));
  writeFileSync(file, JSON.stringify({ models: [], connectors }));
  for (const line of commands.trim().split('\n')) {
    const environment = { TRAMONTANE_CONFIG: file, WIKI_TOKEN: 'token' };
    expect(await runHere(line.split(' ').slice(2), environment), line).toMatchObject({ code: 0 });
  }
  expect(wiki.seen.some(({ headers }) => headers.authorization === 'Bearer token')).toBe(true);

  const conversing = await startConversing(sqliteForTests(), { connectors });
  conversing.says({ calls: [{ name: 'edit_page', arguments: { text: 'x' } }] });
  const { path, body } = requestOf(request);
  const answer = await call(conversing.server, path, { body });
  expect(answer.body).toMatchObject({ outputs: [{ type: 'function.call', confirmation_status: 'pending' }] });
  const offered = conversing.upstream.calls.at(-1)?.body.tools as { function: { name: string } }[];
  expect(offered.map((tool) => tool.function.name)).toEqual(['search_pages', 'edit_page']);
});

it('the page on conversations: each of its requests is answered', async () => {
  const { server } = await startConversing(sqliteForTests());
  const skill = { name: 'tides', aliases: ['production'], definition: { description: 'Tides', body: 'Look up.' } };
  await call(server, '/v2/skills', { body: skill });
  const requests = codeBlocks(readText('docs/conversations.md'), 'sh').map(requestOf);
  expect(requests.map(({ path }) => path)).toEqual(['/v1/conversations', '/v1/agents']);
  const [conversation, agent] = await Promise.all(requests.map(({ path, body }) => call(server, path, { body })));
  expect(conversation).toMatchObject({ status: 200, body: { outputs: [{ model: MODEL }] } });
  const id = (agent?.body as { id: string } | undefined)?.id;
  const started = await call(server, '/v1/conversations', { body: { agent_id: id, inputs: 'When is high tide?' } });
  expect(started.headers.get('tramontane-skills')).toMatch(/^tides@1=sha256:/);
});
