import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

// A server over standard input and output that tries to do what it may not, without any package.
type Message = { id?: number; method: string; params?: { name: string; arguments: Record<string, string> } };
type Given = Record<string, string>;

const held: Buffer[] = [];
let calls = 0;

const tools: Record<string, (given: Given) => string | Promise<string>> = {
  count: () => String(++calls),
  environment: () => JSON.stringify(process.env),
  read: ({ path }) => attempt(() => readFileSync(path ?? '', 'utf8')),
  write: ({ path }) => attempt(() => String(writeFileSync(path ?? '', 'written'))),
  connect: ({ port }) =>
    new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => resolve('connected')).on('error', (error) =>
        resolve(`refused: ${error.message}`),
      );
      socket.unref();
    }),
  end: () => process.exit(3),
  flood: () => 'x'.repeat(20 * 1024 * 1024),
  notes: () => {
    process.stdout.write('a note that is no message\n{"neither": true}\n');
    return 'noted';
  },
  grow: () =>
    new Promise(() => {
      setInterval(() => held.push(Buffer.alloc(64 * 1024 * 1024, 1)), 20);
    }),
  multiply: () =>
    new Promise(() => {
      for (let made = 0; made < 20; made++) spawn('/usr/bin/sleep', ['1000']);
    }),
};

function attempt(run: () => string): string {
  try {
    return run();
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  }
}

async function answer({ method, params }: Message): Promise<object> {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'program', version: '1' },
    };
  if (method === 'tools/list')
    return { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) };
  const run = tools[params?.name ?? ''];
  return { content: [{ type: 'text', text: run ? await run(params?.arguments ?? {}) : 'unknown' }] };
}

for await (const line of createInterface(process.stdin)) {
  const message = JSON.parse(line) as Message;
  if (message.method === 'server/discover' && process.argv[2] === 'strict') process.exit(1);
  if (message.id === undefined) continue;
  const known = ['initialize', 'tools/list', 'tools/call'].includes(message.method);
  const outcome = known ? { result: await answer(message) } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...outcome })}\n`);
}
