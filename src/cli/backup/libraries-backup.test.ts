import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { onSqliteFirst, temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { findProgram, preparePlatform, run, startCli } from '../run-for-tests.ts';

/** Embeds each text by whether it is about the sea, and counts the texts. */
let embedded = 0;
let model: Server;
beforeAll(async () => {
  model = createServer(async (request, response) => {
    const { input } = JSON.parse((await text(request)) || '{"input":[]}') as { input: string | string[] };
    const data = [input].flat().map((each, index) => {
      embedded++;
      return { index, embedding: /tide|sea/i.test(each) ? [1, 0.1] : [-0.1, 1] };
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
  }).listen(0, '127.0.0.1');
  await once(model, 'listening');
});
afterAll(() => {
  model.closeAllConnections();
  model.close();
});

onSqliteFirst('a backup with libraries', (testDatabase) => {
  inFull.it(
    'restores documents, their originals, words and vectors: nothing is read or embedded again',
    async (context) => {
      const isPostgres = testDatabase.options.kind === 'postgres';
      context.skip(isPostgres && !findProgram('pg_dump'));
      const { environment, key } = await preparePlatform(testDatabase);
      const config = join(temporaryDir(), 'tramontane.yaml');
      const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
      const vectors = { id: 'vectors', engine: 'upstream', url, kind: 'embeddings' };
      writeFileSync(config, JSON.stringify({ models: [vectors], search: { embedding_model: 'vectors' } }));
      const found = async (server: { url: string }, id: string) => {
        const body = { query: 'the sea', mode: 'vector', top_k: 1 };
        const answer = await call({ url: server.url, key }, `/v1/libraries/${id}/search`, { body });
        return JSON.stringify(answer.body);
      };

      const first = await startCli(['--config', config], environment);
      const library = (await call({ url: first.url, key }, '/v1/libraries', { body: { name: 'Papers' } })).body;
      const { id } = library as { id: string };
      const documents = `/v1/libraries/${id}/documents`;
      for (const [name, content] of [
        ['tides.txt', 'The tide rises twice a day.'],
        ['hills.txt', 'The hills are green.'],
      ] as const) {
        const form = new FormData();
        form.append('file', new Blob([content]), name);
        const headers = { authorization: `Bearer ${key}` };
        await fetch(`${first.url}${documents}`, { method: 'POST', headers, body: form });
      }
      await expect.poll(() => found(first, id), { timeout: 20_000 }).toContain('The tide rises');
      await expect.poll(() => embedded, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
      await first.stop();

      const dir = join(temporaryDir(), 'backup');
      expect(await run(['backup', dir], environment)).toMatchObject({ code: 0 });
      const target = isPostgres ? environment : { TRAMONTANE_DATA_DIR: join(temporaryDir(), 'data') };
      expect(await run(['restore', dir, ...(isPostgres ? ['--force'] : [])], target)).toMatchObject({ code: 0 });

      const before = embedded;
      const second = await startCli(['--config', config], target);
      expect(await found(second, id)).toContain('The tide rises');
      expect(embedded).toBe(before + 1);
      const list = (await call({ url: second.url, key }, documents)).body as { data: { id: string; name: string }[] };
      expect(list.data.map(({ name }) => name).sort()).toEqual(['hills.txt', 'tides.txt']);
      const tides = list.data.find(({ name }) => name === 'tides.txt');
      const signed = (await call({ url: second.url, key }, `${documents}/${tides?.id}/signed-url`)).body as string;
      expect(await (await fetch(signed)).text()).toBe('The tide rises twice a day.');
      await second.stop();
    },
    60_000,
  );
});
