import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { loraAdapter } from '../../engines/llama/adapter-for-tests.ts';
import { chatWeightsForTests, testModelsDir } from '../../engines/weights/weights-for-tests.ts';
import { preparePlatform, run, runJson, type StartedCli, startCli } from '../run-for-tests.ts';

const weights = await chatWeightsForTests();

inFull.given(weights).describe('a LoRA adapter over the default weights', { timeout: 120_000 }, () => {
  let environment: Record<string, string | undefined>;
  let dir: string;
  let server: StartedCli & { key: string };

  beforeAll(async () => {
    const prepared = await preparePlatform();
    environment = { ...prepared.environment, TRAMONTANE_MODELS_DIR: testModelsDir };
    dir = join(prepared.environment.TRAMONTANE_DATA_DIR ?? '', '..');
    writeFileSync(
      join(dir, 'tramontane.yaml'),
      'models:\n  - { id: base, engine: llama, weights: smollm2-135m-instruct, context: 256, sequences: 1 }\n',
    );
    server = { ...(await startCli([], environment)), key: prepared.key };
  });

  afterAll(() => server.stop());

  const write = (name: string, bytes: Buffer) => {
    const file = join(dir, name);
    writeFileSync(file, bytes);
    return file;
  };
  const add = async (adapter: string) => {
    const { code, data } = await runJson(['models', 'add', '--base', 'base', '--adapter', adapter], environment);
    expect(code).toBe(0);
    const { id } = data as { id: string };
    await vi.waitFor(async () => expect((await call(server, `/v1/models/${id}`)).status).toBe(200), {
      timeout: 20_000,
      interval: 100,
    });
    return id;
  };
  const ask = async (model: string) => {
    const answer = await call(server, '/v1/chat/completions', {
      body: {
        model,
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
        temperature: 0,
        max_tokens: 16,
      },
    });
    const { choices } = answer.body as { choices?: { message: { content: string } }[] };
    return { status: answer.status, text: choices?.[0]?.message.content };
  };

  it('is served under an id of its own: nothing added says what the base says, much added does not', async () => {
    const base = await ask('base');
    const zero = await ask(await add(write('zero.gguf', loraAdapter({ strength: 0 }))));
    const strongId = await add(write('strong.gguf', loraAdapter({ strength: 1 })));
    const strong = await ask(strongId);
    expect([base.status, zero.status, strong.status]).toEqual([200, 200, 200]);
    expect(zero.text).toBe(base.text);
    expect(strong.text).not.toBe(base.text);

    const path = `/v1/fine_tuning/models/${strongId}`;
    expect((await call(server, path, { method: 'PATCH', body: { name: 'Strong' } })).body).toMatchObject({
      id: strongId,
      name: 'Strong',
      root: 'base',
    });
    expect((await call(server, `${path}/archive`, { method: 'POST' })).body).toMatchObject({ archived: true });
    expect((await call(server, `${path}/archive`, { method: 'DELETE' })).body).toMatchObject({ archived: false });
    expect((await call(server, `/v1/models/${strongId}`, { method: 'DELETE' })).body).toMatchObject({ deleted: true });
    expect((await call(server, `/v1/models/${strongId}`)).status).toBe(404);
    expect((await ask(strongId)).status).toBe(400);
    expect((await ask('base')).text).toBe(base.text);
  });

  it.each<[string, Buffer, string]>([
    ['no GGUF at all', Buffer.from('GGUF'), 'failed to'],
    ['half of one', loraAdapter().subarray(0, 2000), 'corrupted or incomplete'],
    [
      'one for a bigger model',
      loraAdapter({ changes: [{ tensor: 'blk.99.ffn_down.weight', inputs: 1536, outputs: 576 }] }),
      'blk.99.ffn_down.weight',
    ],
  ])('that is %s is refused when it is added, with the reason', async (name, bytes, reason) => {
    const adapter = write(`${name.replaceAll(' ', '-')}.gguf`, bytes);
    const { code, stderr } = await run(['models', 'add', '--base', 'base', '--adapter', adapter], environment);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
    expect(stderr).toContain(`${adapter} does not work over 'base'`);
    const { data } = (await call(server, '/v1/models')).body as { data: { id: string; name: string | null }[] };
    expect(data.filter(({ id }) => id.startsWith('ft:')).length).toBeLessThan(2);
  });
});
