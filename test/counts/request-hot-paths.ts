import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { defineStep, defineWorkflow } from '../../packages/workflows/src/index.ts';
import { startWorker } from '../../packages/workflows/src/worker/index.ts';
import { atEnd } from '../support/cleanup.ts';
import { CHUNKS, type ModelServer } from './model-server.ts';

const messages = [{ role: 'user', content: 'Hi' }];
const STEPWISE = { model: 'small', stream: true, messages: [{ role: 'user', content: 'Say it step by step.' }] };
const EXECUTE = { input: {}, wait_for_result: true, timeout_seconds: 30 };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

type HotPath = {
  /** Requests of a series, and how many series there are. */
  times: number;
  series: number;
  /** Not counted: what each of the requests needs. */
  prepare?: (times: number) => Promise<unknown>;
  run: (index: number) => Promise<unknown>;
  /** Waits for what is written once a second: it belongs to the costs of the path. */
  isMetered?: boolean;
  /** Where the row is about a part of the request: how many it has. */
  parts?: number;
};

export type HotPaths = Record<
  | 'identity'
  | 'registryRead'
  | 'toolsList'
  | 'chat'
  | 'streamedChunk'
  | 'embeddings'
  | 'conversationAppend'
  | 'execution'
  | 'thrift'
  | 'waste',
  HotPath
>;

/** One request after the other on one connection, so that each is served alone. */
export async function openHotPaths(server: { url: string; key: string }, models: ModelServer): Promise<HotPaths> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  atEnd(() => agent.destroy());

  async function call(path: string, body?: object, onText?: () => void): Promise<string> {
    const sent = request(`${server.url}${path}`, {
      agent,
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${server.key}`,
        accept: 'application/json, text/event-stream',
        ...(body && { 'content-type': 'application/json' }),
      },
    }).end(body && JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const part of response.setEncoding('utf8')) {
      text += part;
      onText?.();
    }
    if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${text}`);
    return text;
  }

  await call('/v2/prompts', { name: 'greeting', definition: { content: 'Hello' }, aliases: ['live'] });
  const add = defineStep('add', async ({ a, b }: { a: number; b: number }) => a + b);
  const threeSteps = defineWorkflow('three-steps', {}, async (ctx) => {
    const one = await ctx.step(add, { a: 1, b: 2 });
    const two = await ctx.step(add, { a: one, b: 3 });
    return ctx.step(add, { a: two, b: 4 });
  });
  const worker = await startWorker({ url: server.url, apiKey: server.key, workflows: [threeSteps], steps: [add] });
  atEnd(() => worker.stop());

  let conversations: string[] = [];
  return {
    identity: { times: 25, series: 4, run: () => call('/v1/users/me') },
    registryRead: { times: 25, series: 4, run: () => call('/v2/prompts/greeting?alias=live') },
    toolsList: { times: 25, series: 4, run: () => call('/mcp', LIST) },
    // The others use the same ledger and spans.
    chat: {
      times: 50,
      series: 2,
      isMetered: true,
      run: () => call('/v1/chat/completions', { model: 'small', messages }),
    },
    streamedChunk: {
      times: 3,
      series: 4,
      parts: CHUNKS,
      run: () => call('/v1/chat/completions', STEPWISE, models.sendNext),
    },
    embeddings: {
      times: 25,
      series: 4,
      run: () => call('/v1/embeddings', { model: 'vectors', input: ['a text'] }),
    },
    conversationAppend: {
      times: 8,
      series: 3,
      // A second append to one of them would find more to read.
      async prepare(times) {
        conversations = [];
        for (let n = 0; n < times; n++) {
          const begun = JSON.parse(await call('/v1/conversations', { model: 'small', inputs: 'Hi' }));
          conversations.push(begun.conversation_id);
        }
      },
      run: (index) => call(`/v1/conversations/${conversations[index]}`, { inputs: 'And then?' }),
    },
    execution: { times: 5, series: 3, run: () => call('/v1/workflows/three-steps/execute', EXECUTE) },
    thrift: { times: 20, series: 2, run: () => call('/thrift') },
    waste: { times: 20, series: 2, run: () => call('/waste') },
  };
}
