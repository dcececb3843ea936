import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeLibrary } from '../../src/libraries/libraries-for-tests.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { python } from '../../test/support/python.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { type Language, sampleOf } from '../src/pages/playground/code-samples.ts';
import type { Flavour } from '../src/pages/playground/flavours.ts';
import { buildRequest, EMPTY_SETUP } from '../src/pages/playground/setup.ts';

const run = promisify(execFile);
const parameters = { type: 'object', properties: { time_zone: { type: 'string' } } };
const tools = [{ type: 'function', function: { name: 'now', parameters } }];

/** Characters that break quoting: quotes, a backslash, line breaks, braces, non-Latin text. */
const QUESTION = `It's "noon"?\n\\ {{x}} 日本 $HOME \`id\` \${y}`;

const { request } = buildRequest(
  {
    ...EMPTY_SETUP,
    target: { kind: 'model', id: 'small' },
    system: "Don't guess.",
    temperature: '0.5',
    maxTokens: '32',
    tools: JSON.stringify(tools),
    format: 'json_schema',
    schema: '{"type":"object","properties":{"is_noon":{"type":"boolean"}}}',
  },
  [{ role: 'user', content: QUESTION }],
);

describe('a code sample runs as is and sends the same request', () => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  const directory = mkdtempSync(fileURLToPath(new URL('./.sample-', import.meta.url)));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  beforeAll(async () => {
    upstream = await startUpstream();
    // With tools the server buffers the response, so that a broken call never reaches the client.
    upstream.answerWith((_, response) => json(response, 200, completion('{"is_noon":true}')));
    const models = [{ id: 'small', engine: 'upstream' as const, url: upstream.url, upstream_model: 'm' }];
    server = await startTestServer(sqliteForTests(), { file: { models } });
  });

  const outputOf = (language: Language, file: string, ...command: string[]) =>
    outputAs('Mistral', language, file, ...command);
  const outputAs = async (as: Flavour, language: Language, file: string, ...command: string[]) => {
    const path = join(directory, file);
    writeFileSync(path, sampleOf(language, request, server.url, as));
    const [program = '', ...rest] = command;
    const { stdout } = await run(program, [...rest, path], { env: { ...process.env, TRAMONTANE_API_KEY: server.key } });
    return stdout;
  };
  const asked = () => upstream.calls.at(-1)?.body;

  it('with curl', async () => {
    expect(await outputOf('curl', 'sample.sh', 'sh')).toContain('data: [DONE]');
    expect(asked()).toMatchObject({ messages: request.body.messages, max_tokens: 32, temperature: 0.5, tools });
  });

  it('in TypeScript', async () => {
    expect(await outputOf('TypeScript', 'sample.ts', process.execPath)).toBe('{"is_noon":true}');
    expect(asked()).toMatchObject({ messages: request.body.messages, max_tokens: 32, temperature: 0.5, tools });
  });

  inFull.it.each(['OpenAI', 'Anthropic'] as const)('in the words of %s, with curl and in TypeScript', async (as) => {
    expect(await outputAs(as, 'curl', `${as}.sh`, 'sh')).toContain(as === 'OpenAI' ? '[DONE]' : 'message_stop');
    expect(await outputAs(as, 'TypeScript', `${as}.ts`, process.execPath)).toBe('{"is_noon":true}');
    expect(asked()).toMatchObject({ messages: request.body.messages, max_tokens: 32, temperature: 0.5, tools });
    expect(asked()).toHaveProperty('response_format.json_schema.schema.properties.is_noon');
  });

  inFull.it('with libraries, which a conversation searches, in each language', async () => {
    const library = await makeLibrary(server);
    const write = (language: Language, file: string) => {
      const path = join(directory, file);
      writeFileSync(
        path,
        sampleOf(language, request, server.url, 'Mistral', [{ type: 'document_library', library_ids: [library.id] }]),
      );
      return path;
    };
    const env = { ...process.env, TRAMONTANE_API_KEY: server.key };
    const curl = await run('sh', [write('curl', 'library.sh')], { env });
    expect(curl.stdout).toContain('conversation.response.done');
    const typescript = await run(process.execPath, [write('TypeScript', 'library.ts')], { env });
    expect(typescript.stdout).toBe('{"is_noon":true}');
    expect(JSON.stringify(asked())).toContain('document_library');
    expect(asked()).toMatchObject({ messages: request.body.messages, max_tokens: 32, temperature: 0.5 });
    if (!python) return;
    expect((await run(python, [write('Python', 'library.py')], { env })).stdout).toBe('{"is_noon":true}');
  });

  inFull.given(python).it('in Python', async () => {
    expect(await outputOf('Python', 'sample.py', python ?? '')).toBe('{"is_noon":true}');
    expect(asked()).toMatchObject({ messages: request.body.messages, max_tokens: 32, temperature: 0.5, tools });
  });
});
