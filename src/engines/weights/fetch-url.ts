import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SourceFailed } from './errors.ts';
import { explainHttpError, explainStatus, get, type HttpAnswer } from './http.ts';
import { openPartial, type Partial } from './partial.ts';
import type { SourceKind, Standing } from './progress.ts';

/** In a row without a single new byte; as long as bytes arrive, we go on. */
const FRUITLESS_TRIES_MAX = 3;
const PAUSE_MS = 500;
const UNWRITTEN_BYTES_MAX = 4 << 20;
const DEFAULT_ANSWER_MS = 5000;
const DEFAULT_IDLE_MS = 30_000;

/** What is known about the file beforehand; a server that contradicts it is refused before the transfer. */
export type Expected = { bytes?: number | undefined; sha256?: string | undefined };

export type HttpLimits = { answerMs?: number; idleMs?: number; pauseMs?: number };

export type UrlOptions = {
  kind: SourceKind;
  target: string;
  expected: Expected;
  authorization?: string | undefined;
  limits?: HttpLimits | undefined;
  signal: AbortSignal;
  report: (standing: Standing) => void;
};

/** Fetches the file, continuing after cuts, and from where an earlier process got to. */
export async function fetchUrl(
  url: string,
  options: UrlOptions,
): Promise<{ partial: Partial; statedSha256: string | undefined }> {
  const partial = await openPartial(options.target, options.kind, url);
  const answerMs = options.limits?.answerMs ?? DEFAULT_ANSWER_MS;
  for (let fruitless = 0; ; ) {
    const before = await partial.bytes();
    try {
      const statedSha256 = await fetchRest(url, partial, before, answerMs, options);
      return { partial, statedSha256 };
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof SourceFailed) throw error;
      fruitless = (await partial.bytes()) > before ? 0 : fruitless + 1;
      // Nothing has ever come from here: the next source is the better bet than a second try.
      const isHopeless = fruitless > 0 && before === 0;
      if (isHopeless || fruitless >= FRUITLESS_TRIES_MAX)
        throw new SourceFailed(explainHttpError(error, { answerMs }), { cause: error });
      await sleep(options.limits?.pauseMs ?? PAUSE_MS, undefined, { signal: options.signal });
    }
  }
}

async function fetchRest(
  url: string,
  partial: Partial,
  from: number,
  answerMs: number,
  { expected, authorization, limits, signal, report }: UrlOptions,
): Promise<string | undefined> {
  const { etag } = partial.mark();
  if (expected.bytes !== undefined && from === expected.bytes) return undefined;
  const answer = await get(url, {
    signal,
    answerMs,
    idleMs: limits?.idleMs ?? DEFAULT_IDLE_MS,
    authorization,
    headers: from > 0 ? { range: `bytes=${from}-`, ...(etag ? { 'if-range': etag } : {}) } : {},
  });
  try {
    // The part we have does not fit the file there (any more).
    if (answer.statusCode === 416) return await startAnew(partial);
    if (answer.statusCode !== 200 && answer.statusCode !== 206) throw refusal(answer.statusCode);
    const start = answer.statusCode === 206 ? rangeStart(answer) : 0;
    if (start !== from && start !== 0) return await startAnew(partial);
    const totalBytes = totalOf(answer, start);
    checkAgainst(expected, totalBytes, answer.statedSha256);
    const bytesMax = totalBytes ?? expected.bytes ?? Number.POSITIVE_INFINITY;
    await receive(answer, partial, start, bytesMax, (doneBytes) => report(standingOf(doneBytes, totalBytes)));
    const got = await partial.bytes();
    if (totalBytes !== undefined && got !== totalBytes) throw new Error('the connection was cut');
    return answer.statedSha256;
  } finally {
    // Whatever is left unread would keep the connection, and with it the process, open.
    answer.body.on('error', () => undefined).destroy();
  }
}

/**
 * Writes the body into the partial file. By events and not by iteration, and from the first moment on: a stream
 * throws away what it has buffered when the connection breaks, and over a bad line that may be all there was.
 */
async function receive(
  answer: HttpAnswer,
  partial: Partial,
  start: number,
  bytesMax: number,
  report: (doneBytes: number) => void,
) {
  const { body } = answer;
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const opening = prepare(partial, start, strongEtag(answer));
  let [received, written] = [start, start];
  let writing: Promise<unknown> = opening.then(() => report(start));
  body.on('data', (chunk: Buffer) => {
    const position = received;
    received += chunk.length;
    if (received > bytesMax) {
      reject(new SourceFailed('it has another file under this name'));
      body.destroy();
      return;
    }
    if (received - written > UNWRITTEN_BYTES_MAX) body.pause();
    writing = writing
      .then(async () => (await opening).write(chunk, 0, chunk.length, position))
      .then(() => {
        written = position + chunk.length;
        report(written);
        body.resume();
      });
    writing.catch(reject);
  });
  body.once('end', resolve).once('error', reject);
  if (body.errored) reject(body.errored);
  try {
    await ended;
  } finally {
    await writing.finally(async () => (await opening).close());
  }
}

async function prepare(partial: Partial, start: number, mark: { etag?: string }): Promise<FileHandle> {
  const handle = await open(partial.path, start === 0 ? 'w' : 'r+');
  await partial.save(mark);
  return handle;
}

async function startAnew(partial: Partial): Promise<never> {
  await partial.cut(0);
  throw new Error('the file there has changed');
}

function refusal(status: number): Error {
  // A busy server may recover; other refusals are final.
  return status >= 500 ? new Error(explainStatus(status)) : new SourceFailed(explainStatus(status));
}

function checkAgainst(expected: Expected, totalBytes: number | undefined, statedSha256: string | undefined): void {
  const hasOtherSize = expected.bytes !== undefined && totalBytes !== undefined && totalBytes !== expected.bytes;
  const hasOtherSha = expected.sha256 !== undefined && statedSha256 !== undefined && statedSha256 !== expected.sha256;
  if (hasOtherSize || hasOtherSha) throw new SourceFailed('it has another file under this name');
}

function rangeStart(answer: HttpAnswer): number {
  return Number(/^bytes (\d+)-/.exec(String(answer.headers['content-range']))?.[1] ?? -1);
}

function totalOf(answer: HttpAnswer, start: number): number | undefined {
  const whole = /\/(\d+)$/.exec(String(answer.headers['content-range'] ?? ''))?.[1];
  if (whole !== undefined) return Number(whole);
  const length = answer.headers['content-length'];
  return length === undefined ? undefined : start + Number(length);
}

// A weak etag promises the same meaning, not the same bytes.
function strongEtag(answer: HttpAnswer): { etag?: string } {
  const { etag } = answer.headers;
  return typeof etag === 'string' && etag.startsWith('"') ? { etag } : {};
}

function standingOf(doneBytes: number, totalBytes: number | undefined): Standing {
  return { doneBytes, ...(totalBytes === undefined ? {} : { totalBytes }) };
}
