import { describe, expect, it } from 'vitest';
import { parseBlobs } from './blobs.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

describe('TRAMONTANE_BLOBS', () => {
  it('is the data dir when unset', () => {
    expect(parseBlobs(undefined, {})).toEqual({ kind: 'directory' });
  });

  it('of Amazon has the bucket in the host, of another store in the path', () => {
    expect(parseBlobs('s3://files/a/b/', { ...KEYS, AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: 'token' })).toEqual({
      kind: 's3',
      bucket: 'files',
      prefix: 'a/b/',
      region: 'eu-west-1',
      endpoint: 'https://s3.eu-west-1.amazonaws.com',
      isPathStyle: false,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' },
    });
    const other = parseBlobs('s3://files', { ...KEYS, AWS_ENDPOINT_URL: 'http://store:9000/' });
    expect(other).toMatchObject({ endpoint: 'http://store:9000', prefix: '', region: 'us-east-1', isPathStyle: true });
    const named = { ...KEYS, AWS_ENDPOINT_URL: 'http://other', AWS_ENDPOINT_URL_S3: 'http://s3' };
    expect(parseBlobs('s3://files', named)).toMatchObject({ endpoint: 'http://s3' });
  });

  it.each([
    ['gs://files', { AWS_REGION: 'x' }, 'must look like s3://bucket/prefix'],
    ['s3://Files', { AWS_REGION: 'x' }, 'must look like s3://bucket/prefix'],
    ['s3://files/a//b', { AWS_REGION: 'x' }, 'must look like s3://bucket/prefix'],
    ['s3://files/a?b', { AWS_REGION: 'x' }, 'must look like s3://bucket/prefix'],
    ['s3://files', {}, 'needs AWS_REGION'],
    ['s3://files', { AWS_ENDPOINT_URL_S3: 'store:9000' }, 'must begin with http'],
    ['s3://files', { AWS_REGION: 'x', AWS_SECRET_ACCESS_KEY: '' }, 'needs AWS_ACCESS_KEY_ID'],
  ])('%s with %j is refused in words', (address, environment, words) => {
    expect(() => parseBlobs(address, { ...KEYS, ...environment })).toThrow(words);
  });
});
