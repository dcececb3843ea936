import { request } from 'node:http';
import { type AttackOrder, type AttackReport, join, repeat, sendAll } from './send.ts';

/** Opens every kind of stream many times, reads only some of them, and works so that all have much to say. */
export async function followStreams(order: AttackOrder, workflow: string): Promise<AttackReport> {
  const [started, executed] = await Promise.all([
    made(order, '/v1/conversations', { model: 'small', inputs: 'Hello' }),
    made(order, `/v1/workflows/${workflow}/execute`, { input: {} }),
  ]);
  const conversation = `/v1/conversations/${started.conversation_id}`;
  const paths = [
    `${conversation}/events`,
    '/v1/workflows/events/stream',
    `/v1/workflows/executions/${executed.execution_id}/stream`,
    `/v1/workflows/executions/${executed.execution_id}/logs/stream`,
  ];
  const readers = repeat(paths, order.isQuick ? 4 : 60).map((path, index) => follow(order, path, index % 2 === 0));
  const messages = [{ role: 'user', content: 'Hello' }];
  const work = [
    { path: conversation, body: { inputs: 'x'.repeat(50_000), stream: true } },
    { path: '/v1/chat/completions', body: { model: 'small', stream: true, messages } },
    { path: `/v1/workflows/${workflow}/execute`, body: { input: { text: 'x'.repeat(50_000) } } },
    { path: '/v1/conversations', body: { model: 'small', inputs: 'Hello', stream: true } },
  ];
  const report = await sendAll(order, repeat(work, order.isQuick ? 3 : 60));
  const opened = await Promise.all(readers.map((close) => close()));
  const accepted = opened.flatMap(({ name, status }) => (status === 200 ? [name] : []));
  return join([report, { sent: opened.length, accepted, failures: opened.flatMap(failureOf) }]);
}

type Opened = { name: string; status: number };

function failureOf({ name, status }: Opened): string[] {
  return status === 500 ? [`GET ${name}: ${status}`] : [];
}

/** Opens one stream; the result closes it. */
function follow({ url, key }: AttackOrder, path: string, reads: boolean): () => Promise<Opened> {
  const name = path.replace(/\/[^/]*\d[^/]*/, '/:id');
  let status = 0;
  const sent = request(`${url}${path}`, { agent: false, headers: { authorization: `Bearer ${key}` } }, (response) => {
    status = response.statusCode ?? 0;
    response.on('error', () => undefined);
    if (reads) response.resume();
  });
  sent.on('error', () => undefined);
  sent.end();
  return async () => {
    sent.destroy();
    return { name: `GET ${name}`, status };
  };
}

async function made({ url, key }: AttackOrder, path: string, body: unknown): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as Record<string, string>;
}
