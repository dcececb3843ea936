import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { OutboundBlocked, OutboundFailed } from './index.ts';
import { open, readRequest, rejection, serve } from './serve-for-tests.ts';

describe('a redirect', () => {
  const redirectTo = (location: () => string, status = 302): RequestListener => {
    return (_request, response) => response.writeHead(status, { location: location() }).end('moved');
  };

  test('is followed to another allowed address without the secrets', async () => {
    const target = await serve((request, response) => response.end(JSON.stringify(request.headers)));
    const first = await serve(redirectTo(() => target.url));
    const response = await open({ allow: ['127.0.0.1'] }).fetch(first.url, {
      headers: { Authorization: 'Bearer secret', Cookie: 'secret', Accept: 'text/plain' },
    });
    const headers = JSON.parse(await response.text());
    expect(headers).toMatchObject({ accept: 'text/plain', host: `127.0.0.1:${target.port}` });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('cookie');
  });

  test('from an allowed address to a blocked one is refused without a connection', async () => {
    const target = await serve();
    const first = await serve(redirectTo(() => target.url));
    const outbound = open({ allow: [`127.0.0.1:${first.port}`] });
    const error = await rejection(outbound.fetch(first.url));
    expect(error).toBeInstanceOf(OutboundBlocked);
    expect(error.message).toContain(`The address 127.0.0.1:${target.port} is not allowed.`);
    expect(target.connections()).toBe(0);
  });

  test.each(['http://169.254.169.254/latest/meta-data/', 'file:///etc/passwd', 'http://a:b@127.0.0.1/', '//[::1]/'])(
    'to %s is refused',
    async (location) => {
      const { url } = await serve(redirectTo(() => location));
      expect(await rejection(open({ allow: ['127.0.0.1'] }).fetch(url))).toBeInstanceOf(OutboundBlocked);
    },
  );

  test('repeats a 307 body and drops a 303 one', async () => {
    const { url } = await serve(async (request, response) => {
      const body = await readRequest(request);
      if (request.url === '/307') return response.writeHead(307, { location: '/303' }).end();
      if (request.url === '/303') return response.writeHead(303, { location: `/end?${body}` }).end();
      response.end(`${request.method} ${request.url} ${body}`);
    });
    const response = await open({ allow: ['127.0.0.1'] }).fetch(`${url}/307`, { method: 'POST', body: 'sent' });
    expect(await response.text()).toBe('GET /end?sent ');
  });

  test('without a location is an answer like any other', async () => {
    const { url } = await serve((_request, response) => response.writeHead(302).end('moved'));
    const response = await open({ allow: ['127.0.0.1'] }).fetch(url);
    expect([response.status, await response.text()]).toEqual([302, 'moved']);
  });

  test('is followed redirectsMax times and not once more', async () => {
    const asked: (string | undefined)[] = [];
    const { url } = await serve((request, response) => {
      asked.push(request.url);
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('arrived');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const outbound = open({ allow: ['127.0.0.1'] });
    expect(await (await outbound.fetch(`${url}/5`)).text()).toBe('arrived');
    asked.length = 0;
    expect(await rejection(outbound.fetch(`${url}/6`))).toBeInstanceOf(OutboundFailed);
    expect(asked).toHaveLength(6);
    const none = open({ allow: ['127.0.0.1'], redirectsMax: 0 });
    expect(await rejection(none.fetch(`${url}/1`))).toBeInstanceOf(OutboundFailed);
  });
});
