import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import type { DatabaseOptions } from '../../../src/kit/db/index.ts';
import { type FakeMcp, startFakeMcp } from '../../../test/support/mcp-server.ts';
import { json, type Script, type Seen, serveUpstream, type TrustUpstream } from '../serve/serve-upstream.ts';
import { startPlatform, type TrustPlatform } from '../serve/start-platform.ts';
import type { Canaries } from './canaries.ts';

/** How a server responds: correctly, with an error that echoes the request, with the echo alone, or cut off. */
export const MODES = ['fine', 'echo', 'garbage', 'cut'] as const;
export type Mode = (typeof MODES)[number];
/** One model server for each, so that no circuit breaker opens. */
export const USES = [
  'chat',
  'stream',
  'fim',
  'embed',
  'moderate',
  'speak',
  'read',
  'converse',
  'guard',
  'tools',
] as const;

export type Stage = {
  server: TrustPlatform;
  /** Sets the next tool call of the model. */
  callNext(tool: string): void;
  /** Sets how the tool servers respond from now on. */
  answerTools(mode: Mode): void;
  logs: string[];
  /** Everything that was sent to the trace collector. */
  traces(): string;
  close(): Promise<void>;
};

const toldOf = ({ headers, path, text }: Seen) => `${JSON.stringify(headers)} ${path} ${text}`;

function scriptOf(mode: Mode): Script {
  return (seen, response) => {
    const told = toldOf(seen);
    switch (mode) {
      case 'fine':
        return false;
      case 'echo':
        json(response, 500, { error: { message: `You sent ${told}`, code: told }, detail: told });
        return true;
      case 'garbage':
        response.writeHead(200, { 'content-type': 'application/json' }).end(`${told} is not JSON`);
        return true;
      case 'cut':
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\ndata: {${told}`);
        setTimeout(() => response.destroy(), 5);
        return true;
    }
  };
}

/** A server whose configuration is full of secrets, among servers that leak them. */
export async function openStage(
  directory: string,
  database: DatabaseOptions | undefined,
  canaries: Canaries,
): Promise<Stage> {
  const secret = (name: string) => canaries.make('config', name);
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const serve = async (script: Script): Promise<TrustUpstream> => {
    const served = await serveUpstream(script);
    closers.push(() => served.close());
    return served;
  };
  const models = [];
  for (const mode of MODES)
    for (const use of USES) {
      const { url } = await serve(scriptOf(mode));
      const api_key = secret(`key of the server for ${use}, ${mode}`);
      models.push({
        id: `${use}-${mode}`,
        engine: 'upstream' as const,
        url,
        api_key,
        capabilities: capabilitiesOf(use),
      });
    }
  let next: string | undefined;
  const brain = await serve((_seen, response) => {
    const name = next;
    next = undefined;
    if (!name) return false;
    const tool_calls = [
      { id: 'call00000', type: 'function', function: { name, arguments: '{"query":"x","prompt":"x","text":"x"}' } },
    ];
    const message = { role: 'assistant', content: '', tool_calls };
    json(response, 200, { id: '1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
    return true;
  });
  let toolMode: Mode = 'fine';
  const tools = await serve((seen, response) => scriptOf(toolMode)(seen, response));
  const wiki = await startFakeMcp();
  closers.push(() => wiki.close());
  giveAway(wiki, () => toolMode);
  const mailPort = await serveMail(closers);
  const sent: string[] = [];
  const collectorPort = await serveCollector(sent, closers);
  const logs: string[] = [];
  const server = await startPlatform({
    directory,
    database,
    onLog: (line) => logs.push(line),
    environment: {
      TRAMONTANE_BOOTSTRAP_API_KEY: canaries.make('key', 'the first key'),
      TRAMONTANE_BOOTSTRAP_ADMIN_KEY: canaries.make('key', 'the first admin key'),
      TRAMONTANE_OWNER_EMAIL: 'owner@trust.test',
      TRAMONTANE_MODELS_DIR: join(directory, 'models'),
      TRAMONTANE_AUTO_PULL: 'on',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
      HF_TOKEN: secret('token for weights'),
    },
    file: {
      models: [
        ...models,
        { id: 'brain', engine: 'upstream', url: brain.url, api_key: secret('key of the model that calls tools') },
        // Secrets in URLs: no server listens there.
        {
          id: 'weights',
          engine: 'llama',
          weights: `https://user:${secret('password in the address of weights')}@127.0.0.1:9/w.gguf?token=${secret('token in the address of weights')}`,
        },
        {
          id: 'address',
          engine: 'upstream',
          url: `http://user:${secret('password in the address of a model server')}@127.0.0.1:9/v1?key=${secret('key in the address of a model server')}`,
        },
      ],
      mail: {
        host: '127.0.0.1',
        port: mailPort,
        security: 'none',
        user: 'somebody',
        password: secret('password of mail'),
        from: 'a@trust.test',
      },
      tools: {
        web_search: { provider: 'tavily', url: tools.url, api_key: secret('key of a search provider') },
        image_generation: { url: tools.url, api_key: secret('key of an image server') },
      },
      connectors: ['echo', 'garbage', 'fine', 'cut'].map((mode) => ({
        id: `wiki-${mode}`,
        url: `${wiki.url}?key=${secret(`key in the address of a connector, ${mode}`)}`,
        headers: {
          authorization: `Basic ${secret(`header of a connector, ${mode}`)}`,
          'x-wiki': secret(`own header of a connector, ${mode}`),
        },
      })),
      workflows: {
        encryption_keys: [
          canaries.add(
            'config',
            'key of payloads',
            Buffer.from('s'.repeat(16) + Math.random().toString(36).padEnd(16, 'x').slice(0, 16)).toString('base64'),
          ),
        ],
      },
    },
  });
  return {
    server,
    callNext(tool) {
      next = tool;
    },
    answerTools(mode) {
      toolMode = mode;
    },
    logs,
    traces: () => sent.join(''),
    async close() {
      await server.stop();
      for (const close of closers) await close();
    },
  };
}

function capabilitiesOf(use: (typeof USES)[number]) {
  switch (use) {
    case 'embed':
      return {};
    case 'moderate':
    case 'guard':
      return { moderation: true };
    case 'speak':
      return { audio_speech: true };
    case 'read':
      return { ocr: true };
    default:
      return { completion_chat: true, function_calling: true, completion_fim: true };
  }
}

/**
 * A connector whose errors echo their request. In mode `fine` it accepts sessions and lists tools, but tool calls fail.
 */
function giveAway(wiki: FakeMcp, mode: () => Mode): void {
  wiki.instead = (request, response, message) => {
    const told = `${JSON.stringify(request.headers)} ${request.url} ${JSON.stringify(message)}`;
    switch (mode()) {
      case 'echo':
        response.writeHead(401, {
          'content-type': 'application/json',
          'www-authenticate': `Basic realm="${request.headers['x-wiki']}"`,
        });
        response.end(JSON.stringify({ error: told }));
        return true;
      case 'garbage':
        response.writeHead(200, { 'content-type': 'application/json' }).end(`${told} is not JSON`);
        return true;
      case 'cut':
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ jsonrpc: '2.0', id: message?.id, error: { code: -32000, message: told, data: told } }),
        );
        return true;
      case 'fine':
        if (message?.method !== 'tools/call') return false;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32000, message: told } }));
        return true;
    }
  };
}

/** A mail server that refuses every login and echoes the password. */
async function serveMail(closers: (() => unknown)[]): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 mail.trust.test\r\n');
    socket.on('data', (data) => {
      const line = String(data);
      if (line.startsWith('EHLO')) return void socket.write('250-mail.trust.test\r\n250 AUTH PLAIN LOGIN\r\n');
      const [, given = ''] = /^AUTH PLAIN (\S+)/.exec(line) ?? [];
      const [, user, password] = Buffer.from(given, 'base64').toString().split('\0');
      socket.write(`535 ${user} may not come in with ${password} (${given})\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function serveCollector(sent: string[], closers: (() => unknown)[]): Promise<number> {
  const server = createServer((request, response) => {
    request.on('data', (chunk) => sent.push(String(chunk)));
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
