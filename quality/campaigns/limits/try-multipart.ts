import { type Answered, ask } from '../support/ask.ts';
import { judgeRefusal } from './judge-answer.ts';
import { leastCpuMs, note, type Trials } from './trial.ts';

const BOUNDARY = 'boundary';
const FILE = (filename: string, content = 'hello') =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; ${filename}\r\ncontent-type: text/plain\r\n\r\n${content}\r\n`;
const FIELD = (name: string, value: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const END = `--${BOUNDARY}--\r\n`;
const WHOLE = FIELD('purpose', 'batch');

const REFUSED: [string, string][] = [
  ['10,000 parts', WHOLE + FIELD('x', '1').repeat(10_000) + END],
  ['10,000 files', WHOLE + FILE('filename="a"').repeat(10_000) + END],
  ['no end', WHOLE + FILE('filename="a"')],
  ['no end in a header', `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a`],
  ['nothing', ''],
  ['only an end', END],
  ['a part header of a megabyte', `${WHOLE}--${BOUNDARY}\r\nx: ${'a'.repeat(1_000_000)}\r\n${END}`],
  ['10,000 headers of a part', `${WHOLE}--${BOUNDARY}\r\n${'x: 1\r\n'.repeat(10_000)}\r\n1\r\n${END}`],
  ['a field of a megabyte', FILE('filename="a"') + FIELD('purpose', 'b'.repeat(1_000_000)) + END],
  ['a field twice', FILE('filename="a"') + WHOLE + WHOLE + END],
  ['__proto__ as a field', FILE('filename="a"') + WHOLE + FIELD('__proto__', '1') + END],
  ['boundaries and nothing else', `--${BOUNDARY}\r\n`.repeat(100_000)],
  ['half a boundary, again and again', `\r\n--${BOUNDARY.slice(0, -1)}`.repeat(100_000)],
];

/** Names that a careless program would use as a path or write into a header. */
const NAMES = [
  '../../../../etc/passwd',
  'a\\..\\b',
  'C:\\x',
  '/etc/passwd',
  'a%00b',
  '.',
  '..',
  'con',
  'a;b="c"',
  'é😀',
  'a'.repeat(10_000),
];

/** Uploads that are broken or misdeclared, and file names that are more than names. */
export async function tryMultipart(trials: Trials, progress: (text: string) => void): Promise<void> {
  progress('limits: uploads');
  const { served } = trials;
  for (const [name, body] of REFUSED) {
    const work = () => upload(trials, body);
    const [answered, ms] = await leastCpuMs(served, trials.cpuMsMax, work);
    note(trials, `POST /v1/files, ${name}`, judgeRefusal(answered, [400, 422]), ms);
  }
  for (const type of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'b'.repeat(5000)}`,
  ])
    note(
      trials,
      `POST /v1/files as ${type.slice(0, 60)}`,
      judgeRefusal(await upload(trials, WHOLE + FILE('filename="a"') + END, type), [400, 415, 422]),
    );
  for (const filename of NAMES) {
    const answered = await upload(trials, WHOLE + FILE(`filename="${filename}"`, '{"custom_id":"1","body":{}}') + END);
    note(trials, `POST /v1/files, a file named ${filename.slice(0, 40)}`, await judgeNamed(trials, answered));
  }
}

function upload(
  { served }: Trials,
  body: string,
  type = `multipart/form-data; boundary=${BOUNDARY}`,
): Promise<Answered> {
  return ask(`${served.url}/v1/files`, {
    method: 'POST',
    headers: { ...served.credentials.standard, 'content-type': type },
    body: Buffer.from(body),
  });
}

/** Refused, or stored under a name without a path and returned with it. */
async function judgeNamed({ served }: Trials, answered: Answered): Promise<string | undefined> {
  if (answered.status !== 200) return judgeRefusal(answered, [422]);
  const { id, filename } = JSON.parse(answered.text) as { id: string; filename: string };
  if (/[/\\]/.test(filename)) return `kept under a path: ${filename}`;
  const { status } = await ask(`${served.url}/v1/files/${id}/content`, { headers: served.credentials.standard ?? {} });
  return status === 200 ? undefined : `it is kept, but its content answers ${status}`;
}
