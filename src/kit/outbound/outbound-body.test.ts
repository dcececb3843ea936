import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { OutboundFailed, OutboundTooLarge } from './index.ts';
import { closed, open, rejection, serve } from './serve-for-tests.ts';

describe('a body', () => {
  const sized = (bytes: number, headers = {}): RequestListener => {
    return (_request, response) => response.writeHead(200, headers).end(Buffer.alloc(bytes, 'x'));
  };
  const streamed = async (body: AsyncIterable<Uint8Array>) => {
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    return bytes;
  };

  test('of exactly bodyBytesMax is read', async () => {
    const { url } = await serve(sized(1_000));
    const outbound = open({ allow: ['127.0.0.1'], bodyBytesMax: 1_000 });
    expect(await (await outbound.fetch(url)).bytes()).toHaveLength(1_000);
    expect(await (await outbound.fetch(url)).text()).toHaveLength(1_000);
    expect(await streamed((await outbound.fetch(url)).body)).toBe(1_000);
  });

  test.each([
    ['its declared length', { 'content-length': '1001' }],
    ['what arrives', { 'transfer-encoding': 'chunked' }],
  ])('that is one byte larger is refused by %s, however it is read', async (_by, headers) => {
    const { url } = await serve(sized(1_001, headers));
    const outbound = open({ allow: ['127.0.0.1'], bodyBytesMax: 1_000 });
    expect(await rejection((await outbound.fetch(url)).bytes())).toBeInstanceOf(OutboundTooLarge);
    expect(await rejection((await outbound.fetch(url)).text())).toBeInstanceOf(OutboundTooLarge);
    expect(await rejection(streamed((await outbound.fetch(url)).body))).toBeInstanceOf(OutboundTooLarge);
  });

  test('without end is cut off and the connection closed', async () => {
    const { url, server } = await serve((_request, response) => {
      const write = () => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', write);
      write();
    });
    const ended = closed(server);
    const response = await open({ allow: ['127.0.0.1'] }).fetch(url);
    expect(await rejection(response.bytes())).toBeInstanceOf(OutboundTooLarge);
    await ended;
  });

  test('that HEAD only announces is not too large', async () => {
    const { url } = await serve(sized(1_001, { 'content-length': '1001' }));
    const response = await open({ allow: ['127.0.0.1'], bodyBytesMax: 10 }).fetch(url, { method: 'HEAD' });
    expect(await response.text()).toBe('');
  });

  test('is read once', async () => {
    const { url } = await serve();
    const response = await open({ allow: ['127.0.0.1'] }).fetch(url);
    await response.text();
    await expect(response.bytes()).rejects.toThrow('only once');
  });

  test('that breaks off is a failure', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const response = await open({ allow: ['127.0.0.1'] }).fetch(url);
    expect(await rejection(response.text())).toBeInstanceOf(OutboundFailed);
  });

  test.each(['discard', 'break'])('that is given up by %s frees the connection at once', async (how) => {
    const { url, server } = await serve((_request, response) => response.write('endless'));
    const ended = closed(server);
    const response = await open({ allow: ['127.0.0.1'] }).fetch(url);
    if (how === 'discard') response.discard();
    else for await (const _chunk of response.body) break;
    await ended;
  });

  test('ends with the reason of its caller when it is aborted', async () => {
    const { url } = await serve((_request, response) => response.write('endless'));
    const caller = new AbortController();
    const response = await open({ allow: ['127.0.0.1'] }).fetch(url, { signal: caller.signal });
    const reason = new Error('no longer needed');
    const text = rejection(response.text());
    caller.abort(reason);
    expect(await text).toBe(reason);
  });
});
