import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase, sqliteForTests } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { type AdminServer, addOrganization, startAdminServer } from '../admin/admin-for-tests.ts';
import { loraAdapter } from '../engines/llama/adapter-for-tests.ts';
import { chatWeightsForTests, testModelsDir } from '../engines/weights/weights-for-tests.ts';
import type { ManagedModel, ModelAdapter } from './schema.ts';

const weights = await chatWeightsForTests();
const SMOLLM2 = 'smollm2-135m-instruct';

async function upload(server: AdminServer, content: Buffer, key = server.adminKey, filename = 'support.gguf') {
  const form = new FormData();
  form.append('file', new Blob([content as Uint8Array<ArrayBuffer>]), filename);
  const response = await fetch(`${server.url}/v1/admin/model-adapters`, {
    ...{ method: 'POST', headers: { 'x-api-key': key }, body: form },
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) as ModelAdapter };
}

onEachDatabase('/v1/admin/model-adapters', (database) => {
  let server: AdminServer;
  let other: Awaited<ReturnType<typeof addOrganization>>;
  beforeAll(async () => {
    server = await startAdminServer(database);
    other = await addOrganization(server, 'Elsewhere');
  });
  const list = async () => (await server.admin<{ data: ModelAdapter[] }>('GET', '/model-adapters')).body.data;
  const llama = (id: string, adapter: string) => ({ id, engine: 'llama', weights: SMOLLM2, adapter });

  it('201: an uploaded adapter is listed with the models that use it, and deleted with the last of them', async () => {
    const made = await upload(server, loraAdapter());
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ filename: 'support.gguf', used_by: [] })]);
    const { id } = made.body;
    for (const name of ['one', 'two']) {
      const model = await server.admin<ManagedModel>('POST', '/models', llama(name, id));
      expect([model.status, model.body]).toEqual([201, expect.objectContaining({ adapter: id, problem: null })]);
    }
    expect((await list()).find((one) => one.id === id)?.used_by).toEqual(['one', 'two']);
    expect((await server.admin('DELETE', `/model-adapters/${id}`)).status).toBe(409);
    await server.admin('DELETE', '/models/one');
    expect((await list()).find((one) => one.id === id)?.used_by).toEqual(['two']);
    // A change that names another one drops it as well.
    await server.admin('PUT', '/models/two', { ...llama('two', 'owner/name:lora.gguf') });
    expect((await list()).some((one) => one.id === id)).toBe(false);
    await server.admin('DELETE', '/models/two');
    const { text } = await server.admin('GET', '/audit-logs?event_type=model.create');
    expect(text).toContain('support.gguf');
  });

  it('200: one that no model uses is deleted', async () => {
    const { id } = (await upload(server, loraAdapter())).body;
    const deleted = await server.admin('DELETE', `/model-adapters/${id}`);
    expect([deleted.status, deleted.body]).toEqual([200, { id, deleted: true }]);
    expect((await server.admin('DELETE', `/model-adapters/${id}`)).status).toBe(404);
  });

  it.runIf(isSqliteOrFull(database))('401, 403: only operators see and change them', async () => {
    expect((await call(server, '/v1/admin/model-adapters', { key: 'wrong' })).status).toBe(401);
    expect((await server.admin('GET', '/model-adapters', undefined, other.adminKey)).status).toBe(403);
    expect((await upload(server, loraAdapter(), other.adminKey)).status).toBe(403);
    const { id } = (await upload(server, loraAdapter())).body;
    expect((await server.admin('DELETE', `/model-adapters/${id}`, undefined, other.adminKey)).status).toBe(403);
  });

  it.each<[string, Buffer, string]>([
    ['another kind of file', Buffer.from('{"json": true}'), 'not a GGUF file'],
    ['a whole model', loraAdapter({ type: 'model' }), 'a whole model'],
  ])('422: %s is refused with the reason', async (_, content, words) => {
    const { status, text } = await upload(server, content);
    expect([status, text]).toEqual([422, expect.stringContaining(words)]);
    expect(text).toContain('"file"');
  });

  it.runIf(isSqliteOrFull(database))(
    '422: a model with an adapter that does not exist, or that is a path',
    async () => {
      const unknown = llama('three', '00000000-0000-4000-8000-000000000000');
      const { status, text } = await server.admin('POST', '/models', unknown);
      expect([status, text]).toEqual([422, expect.stringContaining('no uploaded adapter')]);
      expect((await server.admin('POST', '/models', llama('three', '/etc/passwd'))).status).toBe(422);
    },
  );
});

inFull.given(weights).describe('a LoRA adapter that was uploaded', { timeout: 240_000 }, () => {
  it('changes what the model says, without a restart; one for other weights is refused before it is served', async () => {
    const server = await startAdminServer(sqliteForTests(), {
      environment: { TRAMONTANE_MODELS_DIR: testModelsDir },
      file: { models: [{ id: 'base', engine: 'llama', weights: SMOLLM2, context: 256, sequences: 1 }] },
    });
    const settings = { engine: 'llama', weights: SMOLLM2, context: 256, sequences: 1 };
    const ask = async (model: string) => {
      const { status, text, body } = await call(server, '/v1/chat/completions', {
        body: {
          ...{ model, temperature: 0, max_tokens: 8 },
          messages: [{ role: 'user', content: 'What is the capital of France?' }],
        },
      });
      expect(status, text).toBe(200);
      return (body as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
    };
    const wrong = loraAdapter({ changes: [{ tensor: 'blk.99.ffn_down.weight', inputs: 1536, outputs: 576 }] });
    const refused = await server.admin('POST', '/models', {
      ...{ ...settings, id: 'wrong', adapter: (await upload(server, wrong)).body.id },
    });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('blk.99.ffn_down.weight')]);
    const { id: adapter } = (await upload(server, loraAdapter({ strength: 1 }))).body;
    const made = await server.admin('POST', '/models', { ...settings, id: 'strong', adapter });
    expect(made.status, made.text).toBe(201);
    expect(await ask('strong')).not.toBe(await ask('base'));
  });
});
