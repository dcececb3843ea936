import { createHash } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
import { GetSkillResultSchema, ListSkillsResultSchema } from '@modelcontextprotocol/core/ext/skills';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/call.ts';
import { sqliteForTests } from '../support/databases.ts';
import { addColleague, addStranger } from '../support/people.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { connect, eras } from './connect.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(sqliteForTests());
  const assets = {
    'references/style guide.md': { textContent: 'Short sentences.\n' },
    'logo.png': { rawContent: 'iVBORw0KGgo=' },
  };
  for (const [name, definition] of [
    ['release-notes', { description: 'Writes release notes', body: 'Look at the commits.\n', assets }],
    ['without-description', { body: 'x' }],
    ...Array.from({ length: 30 }, (_, i) => [`many-${i}`, { description: 'One of many', body: String(i) }] as const),
  ] as const) {
    await call(server, '/v2/skills', { body: { name, definition } });
  }
  await call(server, '/v2/prompts', {
    body: {
      name: 'greet',
      title: 'Greeting',
      description: 'Says hello',
      definition: { content: 'Hello {{name}} from {{ place }}!', variables: [{ name: 'name' }, { name: 'tone' }] },
      aliases: ['production'],
    },
  });
  await call(server, '/v2/prompts/greet/versions', { body: { definition: { content: 'Hi {{name}}!' } } });
});

describe.each(eras)('for a client of %s', (era) => {
  let client: Client;
  beforeAll(async () => {
    client = (await connect(server, era)).client;
  });
  const listSkills = (cursor?: string) =>
    client.request({ method: 'skills/list', params: cursor ? { cursor } : {} }, ListSkills(era));
  const getSkill = (uri: string) => client.request({ method: 'skills/get', params: { uri } }, GetSkill(era));

  it('every skill with a description is listed, page by page, each file with its digest [MCP-SKILLS]', async () => {
    const found = [];
    for (let cursor: string | undefined; ; ) {
      const page = await listSkills(cursor);
      found.push(...page.skills);
      cursor = page.nextCursor;
      if (!cursor) break;
    }
    expect(found).toHaveLength(31);
    const notes = found.find(({ frontmatter }) => frontmatter.name === 'release-notes');
    expect(notes).toEqual((await getSkill('skill://release-notes/SKILL.md')).skill);
    expect(notes).toMatchObject({
      uri: 'skill://release-notes/SKILL.md',
      frontmatter: { name: 'release-notes', description: 'Writes release notes' },
    });
    const resources = notes?.resources as { uri: string; digest: string; size: number }[];
    expect(resources).toHaveLength(3);
    for (const { uri, digest, size } of resources) {
      const [content] = (await client.readResource({ uri })).contents as { text?: string; blob?: string }[];
      const bytes =
        content?.text === undefined ? Buffer.from(content?.blob ?? '', 'base64') : Buffer.from(content.text);
      expect([uri, `sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes.length]).toEqual([
        uri,
        digest,
        size,
      ]);
    }
  });

  it('resources/list shows every SKILL.md, and unknown URIs are the error -32602 with the URI [MCP-SKILLS]', async () => {
    const { resources } = await client.listResources();
    expect(resources).toHaveLength(32);
    expect(resources).toContainEqual({
      uri: 'skill://release-notes/SKILL.md',
      name: 'release-notes',
      description: 'Writes release notes',
      mimeType: 'text/markdown',
    });
    for (const uri of [
      'skill://nowhere/SKILL.md',
      'skill://release-notes/../secret',
      'skill://release-notes/%00',
      'skill://release-notes/%E0%A4%A',
      'skill://',
    ]) {
      await expect(client.readResource({ uri }), uri).rejects.toMatchObject({ code: -32602 });
      await expect(getSkill(uri), uri).rejects.toMatchObject({ code: -32602 });
    }
    await expect(listSkills('made up')).rejects.toMatchObject({ code: -32602 });
    await expect(client.listResources({ cursor: 'made up' })).rejects.toMatchObject({ code: -32602 });
  });

  it('prompts are listed with their variables, and filled with their values [MCP-PROMPTS]', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts).toEqual([
      {
        name: 'greet',
        title: 'Greeting',
        description: 'Says hello',
        arguments: [{ name: 'name', required: true }],
      },
    ]);
    const said = async (name: string, args: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      return messages;
    };
    const user = (text: string) => [{ role: 'user', content: { type: 'text', text } }];
    expect(await said('greet', { name: 'Ada {{place}}' })).toEqual(user('Hi Ada {{place}}!'));
    expect(await said('greet@production', { name: 'Ada', place: 'Nice' })).toEqual(user('Hello Ada from Nice!'));
    expect(await said('greet#1', { name: 'Ada', place: 'Nice', more: '' })).toEqual(user('Hello Ada from Nice!'));
    for (const [name, args, words] of [
      ['greet', {}, 'name'],
      ['greet@production', { name: 'Ada' }, 'place'],
      ['greet@nowhere', { name: 'Ada' }, 'nowhere'],
      ['greet#9', { name: 'Ada' }, '9'],
      ['no such', {}, 'no such'],
      ['@', {}, 'not the name'],
    ] as const) {
      await expect(said(name, args), name).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(words),
      });
    }
    await expect(client.listPrompts({ cursor: 'made up' })).rejects.toMatchObject({ code: -32602 });
  });
});

it('a stranger sees no skill and no prompt, and a key without the permission not even the methods [MCP-KEY-ACCESS]', async () => {
  const stranger = (await connect({ url: server.url, key: await addStranger(server) }, '2025-11-25')).client;
  expect(await stranger.listResources()).toMatchObject({ resources: [] });
  expect(await stranger.listPrompts()).toMatchObject({ prompts: [] });
  await expect(stranger.readResource({ uri: 'skill://release-notes/SKILL.md' })).rejects.toMatchObject({
    code: -32602,
  });
  const biller = (await connect({ url: server.url, key: await addColleague(server, 'billing') }, '2025-11-25')).client;
  expect(biller.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
  await expect(biller.request({ method: 'resources/list' })).rejects.toMatchObject({ code: -32601 });
});

// What a result may carry for caching is there in the newer revision only.
function ListSkills(era: string) {
  return era === '2026-07-28'
    ? ListSkillsResultSchema
    : ListSkillsResultSchema.partial({ ttlMs: true, cacheScope: true });
}

function GetSkill(era: string) {
  return era === '2026-07-28' ? GetSkillResultSchema : GetSkillResultSchema.partial({ ttlMs: true, cacheScope: true });
}
