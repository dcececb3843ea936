import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { ask } from '../serve/ask.ts';
import { json, serveUpstream, type TrustUpstream } from '../serve/serve-upstream.ts';
import { startPlatform, type TrustPlatform } from '../serve/start-platform.ts';
import { forbiddenAddresses } from './addresses.ts';

export const MODEL = 'small';
const WELCOME = '/welcome.png';

export type Scene = {
  server: TrustPlatform;
  model: TrustUpstream;
  /** Must never be reached; it listens at every address of this machine. */
  victim: { port: number; visits(): number };
  /** A server that the operator has allowed, and the target of its redirects. */
  redirector: { url: string; sendTo(location: string): void };
  /** An allowed address there, to prove that a feature follows addresses at all. */
  welcome: { address: string; visits(): number };
  /** Sets the next tool call of the model. */
  says(tool: string, input: Record<string, unknown>): void;
  post(path: string, body: unknown): Promise<{ status: number; text: string }>;
  close(): Promise<void>;
};

export async function openScene(directory: string): Promise<Scene> {
  let visits = 0;
  const victim = createTcpServer((socket) => {
    visits++;
    socket.destroy();
  });
  const victimPort = await listen(victim, '::');
  let location = '';
  let welcomes = 0;
  const redirecting = createServer(({ url = '' }, response) => {
    if (!url.startsWith(WELCOME)) return void response.writeHead(307, { location }).end();
    welcomes++;
    response.end('{}');
  });
  const redirectorUrl = `http://127.0.0.1:${await listen(redirecting, '127.0.0.1')}`;
  let next: { name: string; arguments: string } | undefined;
  const model = await serveUpstream(({ text }, response) => {
    const call = next;
    if (!call || !text.includes('"tools"')) return false;
    next = undefined;
    const tool_calls = [{ id: 'call00000', type: 'function', function: call }];
    const message = { role: 'assistant', content: '', tool_calls };
    json(response, 200, { id: '1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
    return true;
  });
  const server = await startPlatform({
    directory,
    file: {
      outbound: { allow: [new URL(redirectorUrl).host] },
      tools: { web_search: { provider: 'searxng', url: redirectorUrl }, image_generation: { url: redirectorUrl } },
      // One for each address: responses of a connector are cached for a while.
      connectors: forbiddenAddresses(victimPort).map((_, at) => ({ id: `c${at}`, url: `${redirectorUrl}/mcp` })),
      models: [
        { id: 'reader', engine: 'tesseract' },
        {
          id: MODEL,
          engine: 'upstream',
          url: model.url,
          capabilities: { completion_chat: true, function_calling: true, vision: true },
        },
      ],
    },
  });
  return {
    server,
    model,
    victim: { port: victimPort, visits: () => visits },
    redirector: {
      url: redirectorUrl,
      sendTo(where) {
        // Header values are bytes.
        location = Buffer.from(where).toString('latin1');
      },
    },
    welcome: { address: `${redirectorUrl}${WELCOME}`, visits: () => welcomes },
    says(name, input) {
      next = { name, arguments: JSON.stringify(input) };
    },
    post: (path, body) =>
      ask(server.url, { method: 'POST', path, body, headers: { authorization: `Bearer ${server.key}` } }),
    async close() {
      await server.stop();
      await model.close();
      redirecting.closeAllConnections();
      redirecting.close();
      victim.close();
    },
  };
}

type Listening = Pick<ReturnType<typeof createTcpServer>, 'listen' | 'address'>;

async function listen(server: Listening, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}
