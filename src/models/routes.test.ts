import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { startUpstream } from '../../test/support/upstream.ts';
import { createAuditService } from '../audit/index.ts';
import { createUpstreamConnections, createUpstreamEngine } from '../engines/index.ts';
import { createSignal } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { registerFineTuned } from './register-fine-tuned.ts';
import { modelRoutes } from './routes.ts';
import { createModelService, type ModelService } from './service.ts';

const capabilities = { completion_chat: true, function_calling: true };

onEachDatabase('/v1/models', (database) => {
  let server: TestServer;
  let tuning: ModelService;
  let mine: Scope;
  beforeAll(async () => {
    const upstream = await startUpstream();
    const model = { engine: 'upstream', url: upstream.url };
    server = await startTestServer(database, {
      file: {
        models: [
          {
            ...model,
            id: 'small',
            aliases: ['small-latest', 'small-2609'],
            name: 'Small',
            default_temperature: 0.3,
            capabilities,
            max_context_length: 8192,
          },
          { ...model, id: 'old', deprecation: '2027-01-01T00:00:00Z', deprecation_replacement_model: 'small' },
          { ...model, id: 'mine', aliases: ['mistral-large-latest'] },
        ],
      },
      extraRoutes: ({ database: opened }) => {
        const engine = createUpstreamEngine({
          targets: [{ url: upstream.url, apiKey: undefined, model: 'x', timeoutMs: 1000 }],
          connections: createUpstreamConnections(),
          now: Date.now,
        });
        const root = {
          id: 'small',
          aliases: [],
          name: null,
          description: null,
          max_context_length: 8192,
          capabilities: EVERYTHING,
          deprecation: null,
          replacement: null,
          temperature: null,
          engine,
        };
        tuning = createModelService({
          database: opened,
          audit: createAuditService({ database: opened, now: Date.now }),
          signal: createSignal(opened, 'models', Date.now),
          now: Date.now,
          models: [root],
          sampleAliases: false,
          openFineTuned: () => engine,
          openClassifier: () => engine,
        });
        // Under a prefix of their own, because upstream models cannot carry an adapter on the real routes.
        return modelRoutes(tuning).map((route) => ({
          ...route,
          path: `/tuned${route.path}`,
          operationId: `tuned_${route.operationId}`,
          hidden: true,
        }));
      },
    });
    await tuning.start();
    const { body } = await call(server, '/v1/users/me');
    const { workspace } = body as { workspace: { id: string } };
    mine = { workspace_id: workspace.id } as Scope;
  });

  const read = async (path: string) => (await call(server, path)).body as Record<string, unknown>;
  const ids = async (path: string) => ((await read(path)).data as { id: string }[]).map(({ id }) => id);
  const register = async () => {
    const { database: opened } = server.platform;
    const signal = createSignal(opened, 'models', Date.now);
    const row = await registerFineTuned(
      { database: opened, signal, now: Date.now },
      {
        workspaceId: mine.workspace_id,
        root: 'small',
        file: null,
        adapter: '/models/a.gguf',
        name: 'Tuned',
      },
    );
    await tuning.start();
    return row;
  };

  describe('200', () => {
    it.runIf(isSqliteOrFull(database))(
      'lists cards with every field [MODELS-LIST] [MODELS-CARD-ID] [MODELS-CARD-OBJECT] [MODELS-CARD-CREATED] [MODELS-CARD-OWNER] [MODELS-CARD-CONTEXT] [MODELS-CARD-ALIASES] [MODELS-CARD-TYPE] [MODELS-CARD-CAPABILITIES] [MODELS-CARD-WORDS] [MODELS-CARD-TEMPERATURE] [MODELS-CARD-INTERNAL]',
      async () => {
        const { object, data } = await read('/v1/models');
        expect(object).toBe('list');
        const [small] = data as Record<string, unknown>[];
        expect(small).toMatchObject({
          id: 'small',
          object: 'model',
          owned_by: 'tramontane',
          name: 'Small',
          description: null,
          default_model_temperature: 0.3,
          internal: false,
          max_context_length: 8192,
          type: 'base',
          deprecation: null,
        });
        expect(small?.created).toBeTypeOf('number');
        expect(small?.aliases).toEqual(expect.arrayContaining(['small-latest', 'small-2609']));
        for (const name of [
          'completion_chat',
          'completion_fim',
          'function_calling',
          'fine_tuning',
          'vision',
          'classification',
        ]) {
          expect((small?.capabilities as Record<string, unknown> | undefined)?.[name]).toBeTypeOf('boolean');
        }
      },
    );

    it.runIf(isSqliteOrFull(database))(
      'narrows the list by provider and by model [MODELS-LIST-PROVIDER] [MODELS-LIST-MODEL]',
      async () => {
        expect((await ids('/v1/models?provider=tramontane')).slice(0, 3)).toEqual(['small', 'old', 'mine']);
        expect(await ids('/v1/models?provider=somebody')).toEqual([]);
        expect(await ids('/v1/models?model=old')).toEqual(['old']);
        expect(await ids('/v1/models?model=small-latest')).toEqual(['small-latest']);
        expect(await ids('/v1/models?model=nothing')).toEqual([]);
      },
    );

    it.runIf(isSqliteOrFull(database))('reads one by id or alias [MODELS-GET] [MODELS-ALIAS]', async () => {
      for (const name of ['small', 'small-latest', 'small-2609'])
        expect(await read(`/v1/models/${name}`)).toMatchObject({ id: name, name: 'Small', type: 'base' });
      expect(await read('/v1/models/small')).not.toHaveProperty('alias_of');
      expect(await read('/v1/models/small-latest')).toMatchObject({
        alias_of: 'small',
        max_context_length: 8192,
        aliases: expect.arrayContaining(['small', 'small-2609', 'mistral-small-latest']),
      });
    });

    it.runIf(isSqliteOrFull(database))(
      'shows when a model retires and what replaces it [MODELS-RETIREMENT] [MODELS-REPLACEMENT]',
      async () => {
        expect(await read('/v1/models/old')).toMatchObject({
          deprecation: '2027-01-01T00:00:00Z',
          deprecation_replacement_model: 'small',
        });
      },
    );

    it.runIf(isSqliteOrFull(database))('warns in a header of each answer of a model that retires', async () => {
      const answer = await call(server, '/v1/chat/completions', {
        body: { model: 'old', messages: [{ role: 'user', content: 'hi' }] },
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('sunset')).toBe('Fri, 01 Jan 2027 00:00:00 GMT');
      expect(answer.headers.get('warning')).toBe(
        '299 - "The model old is deprecated and retires on 2027-01-01T00:00:00Z. Use small instead."',
      );
    });

    it.runIf(isSqliteOrFull(database))(
      'lets the names of public samples stand for the first model, unless a model was given them',
      async () => {
        expect(await read('/v1/models/mistral-small-latest')).toMatchObject({ alias_of: 'small' });
        expect(await read('/v1/models/mistral-small-2506')).toMatchObject({
          id: 'mistral-small-2506',
          alias_of: 'small',
        });
        expect(await read('/v1/models/mistral-large-latest')).toMatchObject({ alias_of: 'mine' });
      },
    );

    it.runIf(isSqliteOrFull(database))(
      'lists aliases and current public names as cards of their own, after the models',
      async () => {
        const { data } = (await read('/v1/models')) as { data: { id: string; alias_of?: string; aliases: string[] }[] };
        const listed = new Map(data.map((card) => [card.id, card.alias_of]));
        expect(data.slice(0, 3).map(({ alias_of }) => alias_of)).toEqual([undefined, undefined, undefined]);
        expect(data.slice(3).every(({ alias_of }) => alias_of !== undefined)).toBe(true);
        expect(listed.size).toBe(data.length);
        expect(listed.get('small-2609')).toBe('small');
        expect(listed.get('mistral-large-2512')).toBe('small');
        expect(listed.get('mistral-large-latest')).toBe('mine');
        // Nothing here embeds or reads documents.
        expect([listed.has('mistral-embed'), listed.has('mistral-ocr-latest')]).toEqual([false, false]);
        expect(data[0]?.aliases).toEqual(expect.arrayContaining(['small-latest', 'mistral-large-2512']));
      },
    );

    it.runIf(isSqliteOrFull(database))('is read by the official SDK', async () => {
      const client = new Mistral({ serverURL: server.url, apiKey: server.key });
      const { data } = await client.models.list();
      expect(data?.slice(0, 3)).toMatchObject([{ id: 'small' }, { id: 'old' }, { id: 'mine' }]);
      expect(await client.models.retrieve({ modelId: 'small-latest' })).toMatchObject({
        id: 'small-latest',
        type: 'base',
        maxContextLength: 8192,
      });
    });
  });

  describe('a fine-tuned model', () => {
    it('has an id made of its base, workspace, day and eight digits, and a card of its own [MODELS-FT-ID] [MODELS-FT-ID-SEGMENTS] [MODELS-FT-CARD] [MODELS-FT-JOB]', async () => {
      const { id } = await register();
      expect(id).toMatch(new RegExp(`^ft:small:${mine.workspace_id}:\\d{8}:[0-9a-f]{8}$`));
      const card = await read(`/tuned/v1/models/${id}`);
      expect(card).toMatchObject({ id, type: 'fine-tuned', root: 'small', archived: false, name: 'Tuned' });
      expect(card.job).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    });

    it('is renamed, archived and brought back [MODELS-UPDATE] [MODELS-ARCHIVE]', async () => {
      const { id } = await register();
      const path = `/tuned/v1/fine_tuning/models/${id}`;
      expect(
        (await call(server, path, { method: 'PATCH', body: { name: 'New', description: 'Better' } })).body,
      ).toMatchObject({ id, name: 'New', description: 'Better', model_type: 'completion' });
      expect((await call(server, `${path}/archive`, { method: 'POST' })).body).toEqual({
        id,
        object: 'model',
        archived: true,
      });
      expect(await read(`/tuned/v1/models/${id}`)).toMatchObject({ archived: true, name: 'New' });
      expect((await call(server, `${path}/archive`, { method: 'DELETE' })).body).toEqual({
        id,
        object: 'model',
        archived: false,
      });
    });

    it('is deleted and then gone [MODELS-DELETE] [MODELS-DELETE-RESPONSE] [MODELS-DELETE-GONE]', async () => {
      const { id } = await register();
      expect((await call(server, `/tuned/v1/models/${id}`, { method: 'DELETE' })).body).toEqual({
        id,
        object: 'model',
        deleted: true,
      });
      expect((await call(server, `/tuned/v1/models/${id}`)).status).toBe(404);
      expect(await ids('/tuned/v1/models')).not.toContain(id);
      expect(tuning.find(id, mine.workspace_id)).toBeUndefined();
      expect((await call(server, `/tuned/v1/models/${id}`, { method: 'DELETE' })).status).toBe(404);
    });

    it('of another workspace looks like a missing one', async () => {
      const { id } = await register();
      expect(tuning.find(id, 'another')).toBeUndefined();
      expect(() => tuning.get({ workspace_id: 'another' } as Scope, id)).toThrow(`No model '${id}' was found`);
      await expect(tuning.remove({ workspace_id: 'another' } as Scope, id)).rejects.toThrow(
        `No model '${id}' was found`,
      );
      expect(tuning.list({ workspace_id: 'another' } as Scope, {}).map((card) => card.id)).toEqual(['small']);
    });
  });

  describe.runIf(isSqliteOrFull(database))('refusals', () => {
    it.runIf(isSqliteOrFull(database))(
      '403: a base model is not deleted [MODELS-DELETE-BASE] [MODELS-403-BODY]',
      async () => {
        const answer = await call(server, '/v1/models/small', { method: 'DELETE' });
        expect(answer).toMatchObject({
          status: 403,
          body: { object: 'error', type: 'permission_error', param: null, code: 'base_model_unchangeable' },
        });
        expect((await call(server, '/v1/models/small')).status).toBe(200);
        for (const alias of ['small-latest', 'mistral-small-2506'])
          expect((await call(server, `/v1/models/${alias}`, { method: 'DELETE' })).status).toBe(403);
      },
    );

    it.runIf(isSqliteOrFull(database))('404: an unknown model', async () => {
      for (const method of ['GET', 'DELETE'])
        expect(await call(server, '/v1/models/nothing', { method })).toMatchObject({
          status: 404,
          body: { message: expect.stringContaining('tramontane.yaml: - { id: nothing, engine: upstream') },
        });
    });

    it.runIf(isSqliteOrFull(database))('422: an unknown parameter or property [MODELS-422]', async () => {
      expect((await call(server, '/v1/models?limit=1')).status).toBe(422);
      expect((await call(server, '/v1/fine_tuning/models/x', { method: 'PATCH', body: { names: 1 } })).status).toBe(
        422,
      );
    });
  });
});

const EVERYTHING = {
  completion_chat: true,
  function_calling: true,
  reasoning: false,
  completion_fim: false,
  fine_tuning: true,
  vision: false,
  ocr: false,
  classification: false,
  moderation: false,
  audio: false,
  audio_transcription: false,
  audio_transcription_realtime: false,
  audio_speech: false,
  unified_resources: false,
};
