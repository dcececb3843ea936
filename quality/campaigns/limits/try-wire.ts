import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type Answered, ask } from '../support/ask.ts';
import { judgeRefusal } from './judge-answer.ts';
import { jsonOperations, type Operation, operations } from './operations.ts';
import { leastCpuMs, note, send, type Trials } from './trial.ts';

const BOMB_BYTES = 64 * 1024 * 1024;
/** Node accepts 16 KiB of a request before its body; this many short query parameters fit. */
const QUERY_NAMES = 3000;

/** What comes before the body or around it: encodings, headers, paths, queries. */
export async function tryWire(trials: Trials, quick: boolean): Promise<void> {
  await tryCodings(trials, quick);
  await tryQueries(trials, quick);
  const { url, credentials } = trials.served;
  const headers = credentials.standard as Record<string, string>;
  const plain = async (name: string, allowed: number[], asked: Promise<Answered>) =>
    note(trials, name, judgeRefusal(await asked, allowed));
  await plain(
    'a header of 20 kB',
    [431],
    ask(`${url}/v1/models`, { headers: { ...headers, 'x-a': 'a'.repeat(20_000) } }),
  );
  await plain('a query of 100,000 names', [431], ask(`${url}/v1/models?${'a=1&'.repeat(100_000)}`, { headers }));
  await plain('a path of 12 kB', [404, 414, 422], ask(`${url}/v1/models/${'a'.repeat(12_000)}`, { headers }));
  await plain('a path that is no UTF-8', [400, 404], ask(`${url}/v1/models/%c0%af`, { headers }));
  await plain('NUL in a path', [400, 404], ask(`${url}/v1/models/%00`, { headers }));
  await plain('a lone surrogate in a path', [400, 404], ask(`${url}/v1/models/%ed%a0%80`, { headers }));
  const many = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`x-${i}`, '1']));
  note(
    trials,
    '1,500 headers',
    [200, 431].includes((await ask(`${url}/v1/models`, { headers: { ...headers, ...many } })).status)
      ? undefined
      : 'neither taken nor refused',
  );
  for (const [name, bytes] of [
    ['a length that is no number', 'POST /v1/embeddings HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: x\r\n\r\n'],
    [
      'two lengths',
      'POST /v1/embeddings HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    ],
    [
      'a length and chunks',
      'POST /v1/embeddings HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a chunk of no size',
      `POST /v1/embeddings HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${headers.authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    ],
    ['no HTTP at all', '\u0016\u0003\u0001 hello\r\n\r\n'],
  ] as const) {
    const first = await sayRaw(url, bytes);
    note(trials, name, first.startsWith('HTTP/1.1 400 ') ? undefined : `answered with ${JSON.stringify(first)}`);
  }
}

/** A compressed body that expands to far more than its size: no operation decompresses it. */
async function tryCodings(trials: Trials, quick: boolean): Promise<void> {
  const text = Buffer.alloc(BOMB_BYTES, ' ');
  const bombs = {
    gzip: gzipSync(text),
    br: quick ? Buffer.from('x') : brotliCompressSync(text),
    deflate: deflateSync(text),
  };
  const all = jsonOperations();
  for (const operation of quick ? all.slice(0, 3) : all)
    for (const [coding, body] of Object.entries(bombs)) {
      const work = () => send(trials.served, operation, body, { headers: { 'content-encoding': coding } });
      const [answered, ms] = await leastCpuMs(trials.served, trials.cpuMsMax, work);
      note(trials, `${operation.name}, a bomb in ${coding}`, judgeRefusal(answered, [415]), ms);
    }
}

async function tryQueries(trials: Trials, quick: boolean): Promise<void> {
  const names = Array.from({ length: QUERY_NAMES }, (_, i) => i.toString(36)).join('&');
  const all = operations().filter(
    ({ route, surface }) => route.method === 'GET' && !route.hidden && surface !== 'console',
  );
  for (const operation of quick ? all.slice(0, 5) : all)
    for (const [what, query] of [
      ['3,000 unknown names', `?${names}`],
      ['one name 4,000 times', `?${'a=&'.repeat(4000)}`],
      ['a limit of 10,000 digits', `?limit=${'9'.repeat(10_000)}&page_size=${'9'.repeat(400)}&page=1e400`],
      ['names of every object', '?__proto__=1&constructor=1&toString=1&__proto__[a]=1'],
    ] as const) {
      const [answered, ms] = await leastCpuMs(trials.served, trials.cpuMsMax, () =>
        send(trials.served, operation, undefined, { query }),
      );
      note(trials, `${operation.name}, ${what}`, judgeQuery(operation, answered), ms);
    }
}

/** Here any parameter name is a filter, as the official SDKs send them, so an odd name is accepted too. */
const ANY_NAME = ['/v1/batch/jobs'];

function judgeQuery({ path }: Operation, answered: Answered): string | undefined {
  if (ANY_NAME.includes(path) && answered.status === 200) return undefined;
  return judgeRefusal(answered, [404, 405, 406, 422]);
}

function sayRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\r\n')) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''));
    socket.setTimeout(30_000, () => socket.destroy());
  });
}
