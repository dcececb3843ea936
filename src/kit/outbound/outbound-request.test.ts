import { describe, expect, test } from 'vitest';
import { OutboundError, OutboundFailed, OutboundTimeout } from './index.ts';
import { closed, open, readRequest, rejection, serve } from './serve-for-tests.ts';

describe('a request', () => {
  test('carries method, headers, path and body, and its own host', async () => {
    const { url, port } = await serve(async (request, response) => {
      const { method, headers, url: path } = request;
      response.statusCode = 201;
      response.setHeader('X-Twice', ['a', 'b']);
      response.end(JSON.stringify({ method, headers, path, body: await readRequest(request) }));
    });
    const response = await open({ allow: ['127.0.0.1'] }).fetch(new URL(`${url}/hook?a=%20b#fragment`), {
      method: 'post',
      headers: { 'Content-Type': 'text/plain', Host: 'other.corp', Authorization: 'Bearer x' },
      body: new TextEncoder().encode('grüezi'),
    });
    expect(response.status).toBe(201);
    expect(response.headers['x-twice']).toBe('a, b');
    expect(JSON.parse(await response.text())).toMatchObject({
      method: 'POST',
      path: '/hook?a=%20b',
      body: 'grüezi',
      headers: {
        host: `127.0.0.1:${port}`,
        authorization: 'Bearer x',
        'content-type': 'text/plain',
        'accept-encoding': 'identity',
      },
    });
  });

  test('ends with the reason of its caller when it is aborted', async () => {
    const caller = new AbortController();
    const reason = new Error('no longer needed');
    const { url } = await serve(() => caller.abort(reason));
    const error = await rejection(open({ allow: ['127.0.0.1'] }).fetch(url, { signal: caller.signal }));
    expect(error).toBe(reason);
  });

  test('ends at once when it is aborted while the name is looked up', async () => {
    const caller = new AbortController();
    const reason = new Error('no longer needed');
    const lookup = () => {
      caller.abort(reason);
      return new Promise<never>(() => {});
    };
    expect(await rejection(open({ lookup }).fetch('http://slow.example/', { signal: caller.signal }))).toBe(reason);
  });

  test('is not sent when its signal is aborted already', async () => {
    const { url, connections } = await serve();
    const reason = new Error('never needed');
    const outbound = open({ allow: ['127.0.0.1'] });
    expect(await rejection(outbound.fetch(url, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(connections()).toBe(0);
  });

  test('fails with its cause when nobody listens', async () => {
    const { server, url } = await serve();
    await new Promise((resolve) => server.close(resolve));
    const error = await rejection(open({ allow: ['127.0.0.1'] }).fetch(url));
    expect(error).toBeInstanceOf(OutboundFailed);
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('fails with its cause when the name is unknown', async () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const error = await rejection(open({ lookup: () => Promise.reject(cause) }).fetch('http://nowhere.example/'));
    expect(error).toBeInstanceOf(OutboundFailed);
    expect(error.cause).toBe(cause);
  });

  test('fails when the outbound is closed under it', async () => {
    const outbound = open({ allow: ['127.0.0.1'] });
    const { url } = await serve(() => outbound.close());
    expect(await rejection(outbound.fetch(url))).toBeInstanceOf(OutboundFailed);
  });
});

describe('the timeout', () => {
  const impatient = { allow: ['127.0.0.1'], timeoutMs: 500 };

  test('holds for an answer that does not come', async () => {
    const { url } = await serve(() => {});
    const error = await rejection(open(impatient).fetch(url));
    expect(error).toBeInstanceOf(OutboundTimeout);
    expect(error).toBeInstanceOf(OutboundError);
    expect(error.message).toBe(`The address ${new URL(url).host} did not answer within 500 ms.`);
  });

  test('holds for a name that is not resolved', async () => {
    const lookup = () => new Promise<never>(() => {});
    const error = await rejection(open({ ...impatient, lookup }).fetch('http://slow.example/'));
    expect(error).toBeInstanceOf(OutboundTimeout);
  });

  test('holds for a body that drips', async () => {
    const { url } = await serve((_request, response) => {
      const drip = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(drip));
    });
    const response = await open(impatient).fetch(url);
    expect(await rejection(response.text())).toBeInstanceOf(OutboundTimeout);
  });

  test('holds for redirects that go round in circles', async () => {
    const { url } = await serve((_request, response) => response.writeHead(302, { location: '/' }).end());
    const outbound = open({ ...impatient, redirectsMax: Number.POSITIVE_INFINITY });
    expect(await rejection(outbound.fetch(url))).toBeInstanceOf(OutboundTimeout);
  });

  test('ends an unread body quietly', async () => {
    const { url, server } = await serve((_request, response) => response.write('endless'));
    const ended = closed(server);
    const response = await open(impatient).fetch(url);
    await ended;
    expect(await rejection(response.text())).toBeInstanceOf(OutboundTimeout);
  });
});
