import type { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { connect, eras } from './connect-for-tests.ts';

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
  let skills: SkillsClient;
  beforeAll(async () => {
    client = (await connect(server, era)).client;
    skills = new SkillsClient(client);
  });

  it('every skill with a description is listed, page by page, and every file has the digest it is listed with [MCP-SKILLS]', async () => {
    const listed = await skills.list();
    expect(listed.skills).toHaveLength(31);
    const { skill } = await skills.get('skill://release-notes/SKILL.md');
    expect(listed.skills).toContainEqual(skill);
    expect(skill.resources).toHaveLength(3);
    // The official client checks size, digest and front matter of what it reads, and throws when they differ.
    expect(await skills.read(skill)).toMatchObject({
      verified: true,
      body: expect.stringContaining('Look at the commits.\n'),
    });
    expect(await skills.read(skill, 'references/style guide.md')).toMatchObject({
      verified: true,
      text: 'Short sentences.\n',
      mimeType: 'text/markdown',
    });
    expect(await skills.read(skill, 'logo.png')).toMatchObject({ verified: true, mimeType: 'image/png' });
  });

  it('the folder of a skill is read folder by folder [MCP-SKILLS]', async () => {
    const names = async (uri: string) => (await skills.readDirectory(uri)).resources.map(({ name }) => name);
    expect(await names('skill://release-notes')).toEqual(['SKILL.md', 'logo.png', 'references']);
    expect(await names('skill://release-notes/references')).toEqual(['style guide.md']);
    await expect(names('skill://release-notes/logo.png')).rejects.toMatchObject({ code: -32602 });
    await expect(names('skill://nowhere')).rejects.toMatchObject({ code: -32602 });
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
      await expect(skills.get(uri), uri).rejects.toMatchObject({ code: -32602 });
    }
    await expect(skills.list({ cursor: 'made up' })).rejects.toMatchObject({ code: -32602 });
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
