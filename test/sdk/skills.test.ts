import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import { MistralError } from '@mistralai/mistralai/models/errors';
import { beforeAll, describe, expect, it } from 'vitest';
import { sqliteForTests } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(sqliteForTests());
});

describe('the skill registry in the official TypeScript SDK', () => {
  const open = () =>
    new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig: { strategy: 'none' } }).beta.skills;

  it('works in all nine operations', async () => {
    const skills = open();
    const made = await skills.create({
      name: 'release-notes',
      definition: {
        description: 'Use for release notes.',
        body: '# Notes\n',
        assets: {
          'template.md': { textContent: '## Added\n', isExecutable: false },
          'run.bin': { rawContent: 'AAEC', isExecutable: true },
        },
      },
      notes: 'initial',
      aliases: ['main'],
    });
    const skillId = made.id ?? '';
    expect(made).toMatchObject({ name: 'release-notes', version: 1, latestVersion: 1, sharingScope: 'private' });
    expect(made.createdAt).toBeInstanceOf(Date);

    const definition = { description: 'New.', body: '# Two\n' };
    expect(await skills.createVersion(skillId, { definition, aliases: ['main'] })).toEqual({
      version: 2,
      deduplicated: false,
    });
    expect(await skills.createVersion(skillId, { definition })).toEqual({ version: 2, deduplicated: true });
    expect(await skills.get({ skillId: 'release-notes', alias: 'main' })).toMatchObject({ version: 2, definition });
    expect((await skills.getVersion({ skillId, version: 1 })).definition?.assets).toEqual({
      'template.md': { textContent: '## Added\n', isExecutable: false },
      'run.bin': { rawContent: 'AAEC', isExecutable: true },
    });
    expect(await skills.get({ skillId, fields: ['name', 'definition.description'] })).toEqual({
      name: 'release-notes',
      definition: { description: 'New.' },
    });
    const { data = [] } = await skills.listVersions({ skillId });
    expect(data.map(({ version, aliases }) => [version, aliases])).toEqual([
      [2, ['main']],
      [1, []],
    ]);
    expect(
      await skills.updateVersionMetadata(skillId, 1, { notes: 'kept', aliases: { values: ['stable'] } }),
    ).toMatchObject({ version: 1, notes: 'kept', aliases: ['stable'] });
    expect(await skills.updateMetadata(skillId, { sharingScope: 'workspace' })).toMatchObject({
      sharingScope: 'workspace',
    });

    await skills.create({ name: 'another', definition: {} });
    const names: unknown[] = [];
    for await (const page of await skills.list({ pageSize: 1, sortBy: 'name' }))
      names.push(...(page.result.data ?? []).map(({ name }) => name));
    expect(names).toEqual(['another', 'release-notes']);

    for (const id of [skillId, 'another']) expect(await skills.delete({ skillId: id })).toEqual({});
    await expect(skills.get({ skillId })).rejects.toMatchObject({ statusCode: 404 });
  });

  it('raises typed errors', async () => {
    const skills = open();
    const wrong = await skills.create({ name: 'Not a name', definition: {} }).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(MistralError);
    expect(wrong).toMatchObject({ statusCode: 422 });
    await skills.create({ name: 'taken', definition: {} });
    const taken = await skills.create({ name: 'taken', definition: {} }).catch((error: unknown) => error);
    expect(taken).toBeInstanceOf(MistralError);
    expect(taken).toMatchObject({ statusCode: 409 });
    await skills.delete({ skillId: 'taken' });
  });
});

describe.runIf(python)('the skill registry in the official Python SDK', () => {
  it('works in all nine operations', async () => {
    const script = fileURLToPath(new URL('./skills.py', import.meta.url));
    const stdout = await runPython(script, [server.url, server.key]);
    expect(JSON.parse(stdout)).toEqual({
      made: ['python-notes', 1, 'initial', ['main'], 'private'],
      assets: {
        'run.bin': { rawContent: 'AAEC', isExecutable: true },
        'template.md': { textContent: '## Added\n', isExecutable: false },
      },
      version: [2, false],
      again: [2, true],
      main: [2, 2, '# Two\n'],
      masked: { name: 'python-notes', definition: { description: 'New.' } },
      versions: [
        [2, ['main']],
        [1, []],
      ],
      noted: [1, 'kept', ['stable']],
      shared: 'workspace',
      names: ['python-notes'],
      missing: 404,
    });
  });
});
