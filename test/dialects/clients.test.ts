import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { embedLengths } from '../../src/dialects/embed-lengths-for-tests.ts';
import { sqliteForTests } from '../support/databases.ts';
import { startTestServer } from '../support/server.ts';
import { json, startUpstream, type UpstreamCall } from '../support/upstream.ts';

/** A Python with openai, anthropic, openai-agents, langchain-openai and litellm. */
const python = process.env.TRAMONTANE_TEST_CLIENTS_PYTHON;
const SCRIPT = fileURLToPath(new URL('./clients.py', import.meta.url));

/** Calls a tool once if the model is the caller, else greets; a person where JSON is wanted. */
function reply({ body }: UpstreamCall): { text: string; calls: unknown[] } {
  const messages = body.messages as { role: string; content: string }[];
  const last = messages.at(-1);
  if (body.response_format) return { text: '{"name":"Ada"}', calls: [] };
  if (body.model !== 'caller') return { text: 'Hello there', calls: [] };
  if (last?.role === 'tool') return { text: last.content, calls: [] };
  const called = { name: 'weather', arguments: '{"city":"Nice"}' };
  return { text: '', calls: [{ index: 0, id: 'abcdefghi', type: 'function', function: called }] };
}

it.skipIf(!python)(
  'the Python clients of other vendors and frameworks work unchanged',
  async () => {
    const upstream = await startUpstream();
    upstream.answerWith((call, response) => {
      const { text, calls } = reply(call);
      const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
      const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
      const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) };
      if (!call.body.stream)
        return json(response, 200, { id: '1', choices: [{ index: 0, message, finish_reason }], usage });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (chunk: unknown) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      send({ choices: [{ index: 0, delta: message, finish_reason: null }] });
      send({ choices: [{ index: 0, delta: {}, finish_reason }] });
      send({ choices: [], usage });
      response.end('data: [DONE]\n\n');
    });
    const embedder = await embedLengths();
    const chat = { completion_chat: true, function_calling: true };
    const server = await startTestServer(sqliteForTests(), {
      file: {
        models: [
          { id: 'small', engine: 'upstream', url: upstream.url, upstream_model: 'small', capabilities: chat },
          { id: 'caller', engine: 'upstream', url: upstream.url, upstream_model: 'caller', capabilities: chat },
          { id: 'vectors', engine: 'upstream', url: embedder.url, upstream_model: 'v', kind: 'embeddings' },
        ],
      },
    });
    const { stdout } = await promisify(execFile)(python ?? '', [SCRIPT, server.url, server.key]);
    const worked = stdout.split('\n').flatMap((line) => /^worked: (\w+)$/.exec(line)?.[1] ?? []);
    expect(worked).toEqual(['openai_sdk', 'openai_agents', 'langchain_openai', 'litellm', 'anthropic_sdk']);
  },
  180_000,
);
