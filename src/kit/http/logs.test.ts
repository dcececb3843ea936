import type pino from 'pino';
import { expect, it } from 'vitest';
import { noteRoutes } from '../../../test/fixtures/notes.ts';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { json, startUpstream } from '../../../test/support/upstream.ts';
import { createLog } from '../base/log.ts';

function capture() {
  const lines: string[] = [];
  return {
    lines,
    log: createLog('trace', { write: (line: string) => void lines.push(line) } as pino.DestinationStream),
  };
}

it('no secret of a request, an upstream or a database reaches the log at any level', async () => {
  const { lines, log } = capture();
  const canary = 'canary-7f3a';
  const upstream = await startUpstream();
  upstream.answerWith((_call, response) => json(response, 500, { error: `upstream key ${canary}-upstream was used` }));
  const server = await startTestServer(sqliteForTests(), {
    log,
    extraRoutes: noteRoutes,
    environment: { TRAMONTANE_BOOTSTRAP_API_KEY: `${canary}-key-0123456789-0123456789-abc` },
    file: { models: [{ id: 'small', engine: 'upstream', url: upstream.url, api_key: `${canary}-upstream` }] },
  });
  const headers = { 'x-api-key': `${canary}-header`, cookie: `session=${canary}-cookie` };
  await call(server, '/v1/users/me', { key: `tmk_${canary}` });
  await call(server, '/v1/notes', { body: { text: `${canary}-body` }, headers });
  await call(server, '/v1/notes', { raw: `{"text": "${canary}-broken`, headers });
  await call(server, '/v1/notes', { body: { text: 1, password: `${canary}-password` }, headers });
  await call(server, `/v1/notes-failing?kind=500`, { headers });
  await call(server, `/v1/notes-failing?kind=500&token=${canary}-query`, { headers });
  await call(server, '/v1/chat/completions', {
    body: { model: 'small', messages: [{ role: 'user', content: `${canary}-prompt` }] },
    headers,
  });
  await server.stop();
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join('\n')).not.toContain(canary);
});

it('a secret that hides in an error or a logged object is taken out', () => {
  const { lines, log } = capture();
  const secret = 'sk-canary-0123456789';
  log.error({ err: new Error(`connect to postgres://user:${secret}@db/x failed`) }, 'x');
  log.error({ err: new Error(`sent Authorization: Bearer ${secret}`, { cause: new Error(`api_key=${secret}`) }) }, 'x');
  log.error({ err: Object.assign(new Error('x'), { config: { headers: { authorization: secret } } }) }, 'x');
  log.info(
    {
      headers: { authorization: `Bearer ${secret}`, 'x-api-key': secret },
      api_key: secret,
      body: { password: secret },
    },
    'x',
  );
  log.error({ err: new Error('key tmk_canary0123456789 and tma_canary0123456789') }, 'x');
  expect(lines).toHaveLength(5);
  expect(lines.join('')).not.toContain('canary');
});

it('a secret of the configuration is in no line, whoever says it and however it is spelled', () => {
  const lines: string[] = [];
  const secret = 'of "the" operator 0123';
  const log = createLog('trace', { write: (line: string) => void lines.push(line) }, [secret]);
  log.warn({ err: new Error(`535 not ${secret}`) }, `said ${secret}`);
  log.debug({ text: Buffer.from(`x ${secret} y`).toString('base64') }, encodeURIComponent(secret));
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toMatch(/operator|9wZXJhdG9y|b3BlcmF0b3|vcGVyYXRvc/);
});
