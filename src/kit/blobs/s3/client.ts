import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher } from 'undici';
import { StorageFailure } from '../../base/storage-failure.ts';
import { codeOfError } from './xml.ts';

/** A bucket of an S3-compatible store. Every key is below `prefix`, which is empty or ends with a slash. */
export type S3Bucket = {
  /** Without a slash at its end. With a path, the bucket's name follows it; else the bucket is the host's first part. */
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  /** Whether the bucket's name is in the path, as nearly every store but Amazon's wants it. */
  isPathStyle: boolean;
  credentials: S3Credentials;
};
export type S3Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

export type S3Request = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Below the prefix; empty for the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
  /** For what must not happen again later. */
  isSentOnce?: boolean;
};
export type S3Answer = Dispatcher.ResponseData;
export type S3Client = {
  readonly bucket: S3Bucket;
  /** Undefined where there is no such object; every other refusal is a StorageFailure. The body must be consumed. */
  send(request: S3Request): Promise<S3Answer | undefined>;
};

const ATTEMPTS = 4;
const FIRST_DELAY_MS = 100;
const CONNECT_MS = 5_000;
/** For the first byte of an answer, and between two of them. */
const SILENCE_MS = 30_000;
const ERROR_BYTES_MAX = 16 * 1024;
const EMPTY_DIGEST = createHash('sha256').digest('hex');

export function createS3Client(bucket: S3Bucket): S3Client {
  const agent = new Agent({
    connect: { timeout: CONNECT_MS },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    keepAliveTimeout: 20_000,
  });
  const origin = originOf(bucket);

  async function attempt({ method, key = '', query = {}, headers = {}, body }: S3Request): Promise<S3Answer> {
    const url = new URL(origin + (key && `/${bucket.prefix}${key}`));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    // The store digests what it got, so damage on the way is refused there.
    const digest = body === undefined ? EMPTY_DIGEST : createHash('sha256').update(body).digest('hex');
    const signed = await new AwsV4Signer({
      ...bucket.credentials,
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': digest },
      service: 's3',
      region: bucket.region,
    }).sign();
    return agent.request({
      origin: signed.url.origin,
      path: signed.url.pathname + signed.url.search,
      method,
      headers: Object.fromEntries(signed.headers),
      body: body ?? null,
    });
  }

  return {
    bucket,
    async send(request) {
      const attempts = request.isSentOnce ? 1 : ATTEMPTS;
      for (let i = 1; ; i++) {
        const answer = await attempt(request).catch((error: Error) => error);
        if (!(answer instanceof Error) && answer.statusCode < 300) return answer;
        const refusal = answer instanceof Error ? unreachable(bucket, answer) : await refusalOf(bucket, answer);
        if (refusal === undefined) return undefined;
        if (i >= attempts || !refusal.isPassing) throw refusal.failure;
        // With jitter, so that many servers do not return at once.
        await delay(FIRST_DELAY_MS * 2 ** (i - 1) * (0.5 + Math.random()));
      }
    },
  };
}

function originOf({ endpoint, bucket, isPathStyle }: S3Bucket): string {
  if (isPathStyle) return `${endpoint}/${bucket}`;
  const url = new URL(endpoint);
  return `${url.protocol}//${bucket}.${url.host}${url.pathname.replace(/\/$/, '')}`;
}

type Refusal = { failure: StorageFailure; isPassing: boolean };

function unreachable({ endpoint }: S3Bucket, cause: Error): Refusal {
  const failure = new StorageFailure('unreachable', `The store at ${endpoint} does not answer: ${cause.message}`, {
    cause,
  });
  return { failure, isPassing: true };
}

/** Undefined for an object that is not there. A bucket that is not there is a mistake of the configuration. */
async function refusalOf({ endpoint, bucket }: S3Bucket, answer: S3Answer): Promise<Refusal | undefined> {
  const { statusCode } = answer;
  const code = codeOfError(await readStart(answer));
  if (statusCode === 404 && code !== 'NoSuchBucket') return undefined;
  const isPassing = statusCode >= 500 || statusCode === 429 || statusCode === 408;
  const isFull = statusCode === 507 || /quota|storagefull|insufficientstorage|entitytoolarge/i.test(code);
  const said = code === '' ? `status ${statusCode}` : `${code} (status ${statusCode})`;
  const failure = new StorageFailure(
    isFull ? 'full' : isPassing ? 'unreachable' : 'failing',
    `The store at ${endpoint} refused a request to the bucket ${bucket}: ${said}.`,
  );
  return { failure, isPassing: isPassing && !isFull };
}

async function readStart({ body }: S3Answer): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body) {
      text += String(chunk);
      if (text.length > ERROR_BYTES_MAX) break;
    }
  } catch {
    // The status is known; the words beside it are not needed.
  }
  return text;
}
