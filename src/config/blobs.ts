import type { S3Bucket } from '../kit/blobs/index.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';

/** Where stored files are: in the data dir, or in a bucket that several servers share. */
export type BlobsConfig = { kind: 'directory' } | ({ kind: 's3' } & S3Bucket);

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;
/** What needs no escapes in a path, so that every store and every tool names it alike. */
const PREFIX = /^[\w.-]+(\/[\w.-]+)*$/;

/** The rest has the names that Amazon's own programs read. `name` is what refusals call the address. */
export function parseBlobs(
  address: string | undefined,
  environment: Environment,
  name = 'TRAMONTANE_BLOBS',
): BlobsConfig {
  if (address === undefined) return { kind: 'directory' };
  const [, bucket, rest = ''] = ADDRESS.exec(address) ?? [];
  const prefix = rest.replace(/\/$/, '');
  if (!bucket || (prefix !== '' && !PREFIX.test(prefix)))
    throw new ConfigError(`${name} must look like s3://bucket/prefix, not '${address}'.`);
  const read = (...names: string[]) => names.map((name) => environment[name]?.trim()).find(Boolean);
  const region = read('AWS_REGION', 'AWS_DEFAULT_REGION');
  const endpoint = read('AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL');
  if (endpoint !== undefined && !/^https?:\/\/[^/?#]+/.test(endpoint))
    throw new ConfigError('AWS_ENDPOINT_URL_S3 must begin with http:// or https://.');
  if (endpoint === undefined && region === undefined)
    throw new ConfigError(`${name} needs AWS_REGION for a bucket of Amazon, or AWS_ENDPOINT_URL_S3 for another store.`);
  const [accessKeyId, secretAccessKey] = [read('AWS_ACCESS_KEY_ID'), read('AWS_SECRET_ACCESS_KEY')];
  if (!accessKeyId || !secretAccessKey)
    throw new ConfigError(`${name} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`);
  const sessionToken = read('AWS_SESSION_TOKEN');
  return {
    kind: 's3',
    bucket,
    prefix: prefix && `${prefix}/`,
    region: region ?? 'us-east-1',
    endpoint: (endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/(?<!\/)\/+$/, ''),
    isPathStyle: endpoint !== undefined,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  };
}
