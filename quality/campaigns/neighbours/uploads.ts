import { ask } from '../support/ask.ts';
import { type AttackOrder, type AttackReport, inParallel, join, type Sent, sendAll, tally } from './send.ts';

const BOUNDARY = 'a-boundary-of-the-campaign';
const KIB = 1024;

/** Files with very many lines, with one line without end, and of plain bytes; then batch jobs that read them. */
export async function uploadFiles(order: AttackOrder): Promise<AttackReport> {
  const bytes = (order.isQuick ? 512 : 12 * KIB) * KIB;
  const line = (content: string) => `{"custom_id":"1","body":{"messages":[{"role":"user","content":"${content}"}]}}\n`;
  const many = line('x');
  const contents = [
    many.repeat(Math.floor(bytes / many.length / 16)),
    '\n'.repeat(bytes),
    line('y'.repeat(bytes)),
    '[['.repeat(bytes / 4),
    `${line('z'.repeat(bytes / 16))}`.repeat(8),
  ];
  const uploads = await inParallel(contents.map((content) => () => upload(order, content)));
  const ids = uploads.flatMap(({ answered }) => (answered.status === 200 ? [JSON.parse(answered.text).id] : []));
  const jobs = ids.map((id: string) => ({
    path: '/v1/batch/jobs',
    body: { endpoint: '/v1/chat/completions', model: 'small', input_files: [id] },
  }));
  return join([tally(uploads), await sendAll(order, jobs)]);
}

async function upload({ url, key }: AttackOrder, content: string): Promise<Sent> {
  const part = (name: string, more = '') =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const body = Buffer.from(
    `${part('purpose')}batch\r\n${part('file', '; filename="a.jsonl"')}${content}\r\n--${BOUNDARY}--\r\n`,
  );
  const headers = { authorization: `Bearer ${key}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  return { name: 'POST /v1/files', answered: await ask(`${url}/v1/files`, { method: 'POST', headers, body }) };
}
