import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { atEnd } from '../../test/support/cleanup.ts';
import { firstLine } from '../../test/support/first-line.ts';
import { pythonWithMcp } from '../../test/support/python.ts';
import { createLog } from '../kit/base/log.ts';
import { createOutbound } from '../kit/outbound/index.ts';
import { type ConnectionService, createConnectionService } from './index.ts';

const script = fileURLToPath(new URL('python-server-for-tests.py', import.meta.url));
const kinds = ['stateful', 'stateless', 'json'] as const;

describe.runIf(pythonWithMcp)('a connector made with the official Python package', () => {
  let connectors: ConnectionService;
  beforeAll(async () => {
    const child = spawn(pythonWithMcp ?? '', [script], { stdio: ['pipe', 'pipe', 'ignore'] });
    atEnd(() => void child.stdin.end());
    const port = await firstLine(child);
    const outbound = createOutbound({ allow: [`127.0.0.1:${port}`] });
    atEnd(() => outbound.close());
    connectors = createConnectionService({
      connectors: kinds.map((id) => ({
        id,
        url: `http://127.0.0.1:${port}/${id}`,
        headers: {},
        api_key_header: 'authorization',
        timeout_seconds: 10,
        result_limit_kib: 64,
      })),
      outbound,
      version: '1.0.0',
      now: () => 0,
      log: createLog('silent'),
    });
  }, 60_000);

  it.each(kinds)('is listed and called, with what it returns and how it fails: %s', async (id) => {
    const connection = await connectors.connect({ organization_id: 'o', workspace_id: 'w', user_id: 'u' }, id);
    expect(connection.tools).toMatchObject([
      { name: 'add', description: 'Add two numbers.', parameters: { type: 'object', required: ['a', 'b'] } },
      { name: 'picture' },
      { name: 'fail' },
    ]);
    const { signal } = new AbortController();
    expect(await connection.call('add', { a: 2, b: 40 }, signal)).toMatchObject({
      parts: [{ type: 'text', text: '42' }],
      structured: { result: 42 },
      isError: false,
    });
    expect(await connection.call('picture', {}, signal)).toMatchObject({
      parts: [
        {
          type: 'file',
          name: 'image_0.png',
          mimetype: 'image/png',
          bytes: Buffer.from('\x89PNG not really', 'latin1'),
        },
      ],
    });
    const failed = await connection.call('fail', {}, signal);
    expect(failed.isError).toBe(true);
    expect(JSON.stringify(failed.parts)).toContain('out of paper');
    await connection.close();
  });
});
