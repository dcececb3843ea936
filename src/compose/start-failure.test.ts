import { expect, it } from 'vitest';
import { StorageFailure } from '../kit/base/storage-failure.ts';
import { explainStartFailure, StartFailure } from './start-failure.ts';

const config = { host: '127.0.0.1', port: 8787, dataDir: '/data' };

it('a database or a store that goes away while a server starts is told in one line with what to do', () => {
  const cause = new Error('timeout exceeded when trying to connect');
  const error = new StorageFailure('unreachable', 'PostgreSQL cannot be reached.', { cause });
  const explained = explainStartFailure(error, config);
  expect(explained).toBeInstanceOf(StartFailure);
  expect(explained).toHaveProperty('message', expect.stringMatching(/^PostgreSQL cannot be reached\. See whether/));
});

it('an error that says nothing about the machine stays as it is', () => {
  const error = new StorageFailure('unknown', 'The disk failed to keep what was written.');
  expect(explainStartFailure(error, config)).toBe(error);
});
