import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { uploaded } from '../files/upload-for-tests.ts';
import { answerVectors } from './classifiers-for-tests.ts';
import type { ClassificationResponse } from './schema/classifications.ts';
import type { ClassifierTraining } from './schema/trainings.ts';

const PATH = '/v1/classifiers/trainings';
const NOBODY = '00000000-0000-4000-8000-000000000000';
const WITHIN = { timeout: 30_000, interval: 50 };

const examples = ['money', 'parcel'].flatMap((word) =>
  Array.from({ length: 12 }, (_, n) => ({ text: `${n} ${word}`, label: word === 'money' ? 'billing' : 'shipping' })),
);
const lines = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

onEachDatabase(PATH, (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  let stranger: string;
  let viewer: string;

  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answerWith(answerVectors);
    const model = { engine: 'upstream', url: upstream.url, kind: 'embeddings' };
    server = await startTestServer(database, {
      file: {
        models: [
          { ...model, id: 'vectors' },
          { ...model, id: 'others' },
        ],
      },
    });
    stranger = await addStranger(server);
    viewer = await addColleague(server, 'workflow_executor');
  });

  const upload = async (rows: object[], key = server.key) => {
    const { id } = await uploaded(server, lines(rows), { purpose: 'fine-tune' }, { key });
    return id;
  };
  async function begin(body: object, key = server.key): Promise<ClassifierTraining> {
    const answer = await call(server, PATH, { body: { name: 'topics', ...body }, key });
    expect(answer.status, answer.text).toBe(201);
    return answer.body as ClassifierTraining;
  }
  const read = async ({ id }: { id: string }) => (await call(server, `${PATH}/${id}`)).body as ClassifierTraining;
  async function ended(training: { id: string }): Promise<ClassifierTraining> {
    await expect.poll(async () => (await read(training)).ended_at, WITHIN).not.toBeNull();
    return read(training);
  }

  describe('200', () => {
    it('labelled examples become a model of the workspace, with figures of the part that was held out', async () => {
      const file_id = await upload(examples);
      const begun = await begin({ file_id, held_out: 0.25, seed: 3 });
      expect(begun).toMatchObject({ status: 'QUEUED', model: null, held_out: 0.25, seed: 3, figures: null });
      const done = await ended(begun);
      expect(done).toMatchObject({
        status: 'SUCCESS',
        model: 'vectors',
        message: null,
        classifier_id: expect.stringMatching(/^ft:classifier:vectors:/),
        figures: { examples: 24, held_out: 6, seed: 3, targets: { label: { accuracy: 1, macro_f1: 1 } } },
      });
      const model = done.classifier_id ?? '';
      const classify = () =>
        call(server, '/v1/classifications', { body: { model, input: ['the parcel', 'my money'] } });
      await expect.poll(async () => (await classify()).status, WITHIN).toBe(200);
      const { results } = (await classify()).body as ClassificationResponse;
      expect(results.map(({ label }) => (label?.scores.billing ?? 0) > 0.5)).toEqual([false, true]);
      expect((await call(server, PATH)).body).toMatchObject({ data: [{ id: done.id, file_id }] });
      // The file may be its owner's alone.
      const seen = await call(server, PATH, { key: await addColleague(server) });
      expect(seen.body).toMatchObject({ data: [{ id: done.id, file_id: null }] });
      const usage = await server.platform.database.db
        .selectFrom('audit_logs')
        .select('target_metadata')
        .where('event_type', '=', 'model.create')
        .execute();
      expect(JSON.stringify(usage)).toContain(model);
      // Its owner renames and deletes it as any tuned model.
      expect((await call(server, `/v1/models/${model}`, { method: 'DELETE' })).status).toBe(200);
    });

    it.runIf(isSqliteOrFull(database))(
      'the same file and seed give the same classifier, and a named embedding model is used',
      async () => {
        const file_id = await upload(examples);
        const [one, two] = [await begin({ file_id }), await begin({ file_id, model: 'others' })];
        const done = [await ended(one), await ended(two)];
        expect(done.map(({ model }) => model)).toEqual(['vectors', 'others']);
        expect(done[0]?.figures).toEqual(done[1]?.figures);
      },
    );

    it.runIf(isSqliteOrFull(database))('examples that cannot be used are said why, with the line', async () => {
      const file_id = await upload([...examples, { text: 'no label' }]);
      expect(await ended(await begin({ file_id }))).toMatchObject({
        status: 'FAILED',
        message: expect.stringContaining('Line 25 is not an example.'),
        classifier_id: null,
      });
      const long = await upload([...examples, { text: 'x'.repeat(20_001), label: 'billing' }]);
      expect((await ended(await begin({ file_id: long }))).message).toContain('Example 25 has more than 20000');
    });

    it.runIf(isSqliteOrFull(database))('a deleted training stops, and makes no model', async () => {
      const file_id = await upload(examples);
      const asked = new Promise<void>((resolve) => {
        upstream.answerWith(() => resolve());
      });
      const begun = await begin({ file_id });
      await asked;
      expect((await read(begun)).message).toBe('embedding: 0 of 24 examples');
      expect((await call(server, `${PATH}/${begun.id}`, { method: 'DELETE' })).status).toBe(204);
      expect((await call(server, `${PATH}/${begun.id}`)).status).toBe(404);
      upstream.answerWith(answerVectors);
      expect((await ended(await begin({ file_id }))).status).toBe('SUCCESS');
      const { db } = server.platform.database;
      const made = await db.selectFrom('classifiers').select('id').execute();
      const told = await db.selectFrom('classifier_trainings').select('classifier_id').execute();
      const ids = new Set(told.map(({ classifier_id }) => classifier_id));
      expect(made.filter(({ id }) => !ids.has(id))).toEqual([]);
    });

    it.runIf(isSqliteOrFull(database))('a training whose creator lost the right to make models fails', async () => {
      const key = await addColleague(server, 'dev');
      const file_id = await upload(examples, key);
      // The one before it holds the only place until it is answered.
      const asked = new Promise<() => void>((resolve) => {
        upstream.answerWith((request, response) => resolve(() => answerVectors(request, response)));
      });
      const first = await begin({ file_id: await upload(examples) });
      const answer = await asked;
      upstream.answerWith(answerVectors);
      const begun = await begin({ file_id }, key);
      await server.platform.database.transaction(async (tx) => {
        const demoted = { role: 'workflow_executor' } as const;
        await tx.updateTable('workspace_members').set(demoted).where('user_id', '=', begun.creator_id).execute();
        server.platform.keysSignal.raise(tx);
      });
      answer();
      await ended(first);
      expect(await ended(begun)).toMatchObject({ status: 'FAILED', classifier_id: null });
    });
  });

  it('400 and 409: a model that does not embed, and more trainings than a workspace may have waiting', async () => {
    const file_id = await upload(examples);
    expect((await call(server, PATH, { body: { name: 'x', file_id, model: 'nobody' } })).status).toBe(400);
    const { db } = server.platform.database;
    const row = await db.selectFrom('classifier_trainings').selectAll().executeTakeFirstOrThrow();
    const open = Array.from({ length: 10 }, (_, n) => ({ ...row, id: `open-${n}`, ended_at: null, figures: null }));
    await db.insertInto('classifier_trainings').values(open).execute();
    expect((await call(server, PATH, { body: { name: 'x', file_id } })).status).toBe(409);
    await db.deleteFrom('classifier_trainings').where('id', 'like', 'open-%').execute();
  });

  it.runIf(isSqliteOrFull(database))('401 and 403: no key, and a role that makes no models', async () => {
    expect((await call(server, PATH, { key: 'wrong' })).status).toBe(401);
    const file_id = await upload(examples);
    expect((await call(server, PATH, { key: viewer, body: { name: 'x', file_id } })).status).toBe(403);
  });

  it.runIf(isSqliteOrFull(database))('404: what another workspace has is what nobody has', async () => {
    const file_id = await upload(examples);
    const training = await begin({ file_id });
    expect((await call(server, PATH, { key: stranger, body: { name: 'x', file_id } })).status).toBe(404);
    for (const method of ['GET', 'DELETE'])
      for (const [id, key] of [
        [training.id, stranger],
        [NOBODY, server.key],
      ])
        expect((await call(server, `${PATH}/${id}`, { method, key: key ?? '' })).status).toBe(404);
    expect((await call(server, PATH, { key: stranger })).body).toEqual({ data: [] });
    await ended(training);
  });

  it.runIf(isSqliteOrFull(database))('422: unknown and wrong properties', async () => {
    const file_id = await upload(examples);
    const wrong = [{ extra: 1 }, { name: 'a b' }, { held_out: 0.9 }, { seed: -1 }, { file_id: 'x' }, { model: '' }];
    for (const more of wrong)
      expect((await call(server, PATH, { body: { name: 'x', file_id, ...more } })).status).toBe(422);
    expect((await call(server, `${PATH}?limit=0`)).status).toBe(422);
  });

  it('the examples of the repository are learnt in a thread', async () => {
    const { trainInThread } = await import('./train/train-in-thread.ts');
    const content = readFileSync(new URL('../../examples/support-topics.jsonl', import.meta.url));
    const embed = async (texts: string[]) => texts.map((text) => Float32Array.from([text.length, text.charCodeAt(0)]));
    const order = { content, examplesMax: 1000, heldOutShare: 0.2, seed: 1, onFit: () => undefined };
    const { signal } = new AbortController();
    const { figures } = await trainInThread({ ...order, embed, signal });
    expect(figures.examples).toBe(200);
    const stopped = new AbortController();
    const never = trainInThread({ ...order, embed: () => new Promise(() => undefined), signal: stopped.signal });
    stopped.abort(new Error('stopped'));
    await expect(never).rejects.toThrow('stopped');
  });
});
