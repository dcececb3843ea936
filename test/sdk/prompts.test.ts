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

describe('the prompt registry in the official TypeScript SDK', () => {
  const open = () =>
    new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig: { strategy: 'none' } }).beta.prompts;

  it('works in all nine operations', async () => {
    const prompts = open();
    const first = { content: 'Hi {{who}}', variables: [{ name: 'who' }] };
    const made = await prompts.create({
      name: 'greeting',
      definition: first,
      title: 'Greeting',
      aliases: ['production'],
    });
    const promptId = made.id ?? '';
    expect(made).toMatchObject({
      name: 'greeting',
      version: 1,
      latestVersion: 1,
      sharingScope: 'private',
      definition: first,
    });
    expect(made.createdAt).toBeInstanceOf(Date);

    const definition = { content: 'Hello' };
    const aliases = ['production'];
    expect(await prompts.createVersion(promptId, { definition, aliases })).toEqual({ version: 2, deduplicated: false });
    expect(await prompts.createVersion(promptId, { definition })).toEqual({ version: 2, deduplicated: true });
    expect(await prompts.get({ promptId: 'greeting', alias: 'production' })).toMatchObject({ version: 2, definition });
    expect(await prompts.get({ promptId, version: 1 })).toMatchObject({ version: 1, definition: first });
    expect(await prompts.getVersion({ promptId, version: 1 })).toMatchObject({ version: 1, definition: first });
    const fields = ['name', 'definition.content'];
    expect(await prompts.get({ promptId, fields })).toEqual({ name: 'greeting', definition });
    const { data = [] } = await prompts.listVersions({ promptId });
    expect(data.map((one) => [one.version, one.aliases])).toEqual([
      [2, ['production']],
      [1, []],
    ]);
    const noted = await prompts.updateVersionMetadata(promptId, 1, { notes: 'kept', aliases: { values: ['stable'] } });
    expect(noted).toMatchObject({ version: 1, notes: 'kept', aliases: ['stable'] });
    const titled = await prompts.updateMetadata(promptId, { title: null, sharingScope: 'workspace' });
    expect(titled).toMatchObject({ sharingScope: 'workspace', version: 2 });
    expect(titled.title).toBeUndefined();

    await prompts.create({ name: 'another', definition });
    for (const sort of [{ sortBy: 'name' }, { sortField: 'list_sort_field_name' as const }]) {
      const names: unknown[] = [];
      for await (const page of await prompts.list({ pageSize: 1, ...sort }))
        names.push(...(page.result.data ?? []).map(({ name }) => name));
      expect(names).toEqual(['another', 'greeting']);
    }

    for (const id of [promptId, 'another']) expect(await prompts.delete({ promptId: id })).toEqual({});
    await expect(prompts.get({ promptId })).rejects.toMatchObject({ statusCode: 404 });
  });

  it('raises typed errors', async () => {
    const prompts = open();
    const definition = { content: 'x' };
    const wrong = await prompts.create({ name: 'Not a name', definition }).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(MistralError);
    expect(wrong).toMatchObject({ statusCode: 422 });
    await prompts.create({ name: 'taken', definition });
    const taken = await prompts.create({ name: 'taken', definition }).catch((error: unknown) => error);
    expect(taken).toBeInstanceOf(MistralError);
    expect(taken).toMatchObject({ statusCode: 409 });
    await prompts.delete({ promptId: 'taken' });
  });
});

describe.runIf(python)('the prompt registry in the official Python SDK', () => {
  it('works in all nine operations', async () => {
    const script = fileURLToPath(new URL('./prompts.py', import.meta.url));
    const stdout = await runPython(script, [server.url, server.key]);
    expect(JSON.parse(stdout)).toEqual({
      made: ['python-greeting', 1, 'initial', ['production'], 'private'],
      first: ['Hi {{who}}', ['who']],
      version: [2, false],
      again: [2, true],
      production: [2, 2, 'Hello'],
      masked: { name: 'python-greeting', definition: { content: 'Hello' } },
      versions: [
        [2, ['production']],
        [1, []],
      ],
      noted: [1, 'kept', ['stable']],
      titled: ['New', null, 'workspace', 2],
      names: ['python-greeting'],
      missing: 404,
    });
  });
});
