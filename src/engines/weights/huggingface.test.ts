import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { chooseFile } from './huggingface.ts';

async function listing(body: string | 'endless'): Promise<string> {
  const server = createServer((_request, response) => {
    if (body !== 'endless') return void response.end(body);
    const pour = (): void => {
      while (!response.destroyed) if (!response.write('x'.repeat(65_536))) return void response.once('drain', pour);
    };
    pour();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.closeAllConnections());
  atEnd(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['endless', 'its list of files is too long'],
  ['not JSON', 'its list of files cannot be read'],
  ['null', 'has no GGUF'],
  ['{"siblings":[null,{"rfilename":7},{}]}', 'has no GGUF'],
  ['{"siblings":{}}', 'its list of files cannot be read'],
])('a list of files that is %s is a failure in words', async (body, words) => {
  const baseUrl = await listing(body);
  const choosing = chooseFile({ baseUrl }, 'owner/name', { signal: new AbortController().signal });
  await expect(choosing).rejects.toThrow(words);
});
