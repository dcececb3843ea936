import { Agent, request } from 'node:http';
import { answer } from './answer.ts';

// Clients that start executions and wait for their results.
type Address = { port: number; key: string };
type Load = Address & { workflow: string; count: number; concurrency: number; waits: boolean; input?: object };

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

function post({ port, key }: Address, path: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request({ agent, port, host: '127.0.0.1', method: 'POST', path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function startAll(load: Load): Promise<{ seconds: number; latencies: number[]; ids: string[] }> {
  const { workflow, count, concurrency, waits, input = {} } = load;
  const body = JSON.stringify({ input, ...(waits ? { wait_for_result: true, timeout_seconds: 30 } : {}) });
  const latencies: number[] = [];
  const ids: string[] = [];
  let left = count;
  const begun = performance.now();
  const client = async () => {
    while (left-- > 0) {
      const from = performance.now();
      const { status, text } = await post(load, `/v1/workflows/${workflow}/execute`, body);
      if (status !== 200) throw new Error(`${status}: ${text}`);
      latencies.push(performance.now() - from);
      if (!waits) ids.push((JSON.parse(text) as { execution_id: string }).execution_id);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return { seconds: (performance.now() - begun) / 1000, latencies, ids };
}

answer({ start: startAll });
