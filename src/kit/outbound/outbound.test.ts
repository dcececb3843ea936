import { describe, expect, test } from 'vitest';
import { createOutbound, OutboundBlocked } from './index.ts';
import { answering, closed, open, rejection, serve } from './serve-for-tests.ts';

describe('what may be asked', () => {
  test.each(['ftp://example.com/', 'file:///etc/passwd', 'data:text/plain,x', 'unix:/run/docker.sock'])(
    '%s is refused because of its scheme',
    async (url) => {
      const error = await rejection(open().fetch(url));
      expect(error).toBeInstanceOf(OutboundBlocked);
      expect(error.message).toBe('The address is not allowed. Only http and https addresses are.');
    },
  );

  test('a password in the URL is refused and not repeated', async () => {
    const error = await rejection(open().fetch('http://user:hunter2@example.com/'));
    expect(error).toBeInstanceOf(OutboundBlocked);
    expect(error.message).not.toContain('hunter2');
  });

  test('what is no URL is refused', async () => {
    expect(await rejection(open().fetch('not a url'))).toBeInstanceOf(OutboundBlocked);
  });
});

describe('an address that is not public', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '017700000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '①②⑦.⓪.⓪.①',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '169.254.169.254',
    '100.100.100.200',
    '10.0.0.1',
    '255.255.255.255',
  ])('is refused as the literal %s, over http and https', async (host) => {
    const { port, connections } = await serve();
    const outbound = open();
    for (const scheme of ['http', 'https']) {
      const error = await rejection(outbound.fetch(`${scheme}://${host}:${port}/`));
      expect(error).toBeInstanceOf(OutboundBlocked);
      const { host: canonical } = new URL(`${scheme}://${host}:${port}/`);
      expect(error.message).toBe(
        `The address ${canonical} is not allowed. Ask the operator to add it to outbound.allow.`,
      );
    }
    expect(connections()).toBe(0);
  });

  test.each([
    ['metadata.google.internal', '169.254.169.254'],
    ['loopback.example', '127.0.0.1'],
    ['loopback6.example', '::1'],
    ['mapped.example', '::ffff:127.0.0.1'],
    ['private.example', '10.0.0.7'],
    ['rooted.example.', '192.168.1.1'],
    ['localhost.', '127.0.0.1'],
    ['nonsense.example', 'not-an-address'],
  ])('is refused behind the name %s, and the answer does not tell it', async (hostname, address) => {
    for (const scheme of ['http', 'https']) {
      const error = await rejection(open(answering([address])).fetch(`${scheme}://${hostname}/`));
      expect(error).toBeInstanceOf(OutboundBlocked);
      expect(error.message).toBe(
        `The address ${hostname} is not allowed. Ask the operator to add it to outbound.allow.`,
      );
      expect(error.message).not.toContain(address);
      expect(error.cause.message).toContain(address);
    }
  });

  test.each(['localhost', 'LOCALHOST'])('is refused behind %s by the real resolver', async (hostname) => {
    const { port, connections } = await serve();
    expect(await rejection(open().fetch(`http://${hostname}:${port}/`))).toBeInstanceOf(OutboundBlocked);
    expect(connections()).toBe(0);
  });

  test('is refused when it is one of several and none is public', async () => {
    const { lookup } = answering(['10.0.0.1', '::1', '169.254.169.254']);
    expect(await rejection(open({ lookup }).fetch('http://many.example/'))).toBeInstanceOf(OutboundBlocked);
  });

  test('is never tried when another address of the same name may be used', async () => {
    // Listening on all addresses, the server would also answer at the first, forbidden one.
    const { port } = await serve((request, response) => response.end(request.socket.localAddress), '0.0.0.0');
    const { lookup } = answering(['127.0.0.2', '::ffff:127.0.0.3', '127.0.0.1', '127.0.0.4']);
    const outbound = open({ lookup, allow: ['127.0.0.1'] });
    const response = await outbound.fetch(`http://many.example:${port}/`);
    expect(await response.text()).toBe('127.0.0.1');
  });
});

describe('a DNS answer that changes', () => {
  test('is asked for once per connection: what is judged is what is connected to', async () => {
    const { port } = await serve();
    const { lookup, asked } = answering(['127.0.0.1'], ['10.0.0.1']);
    const response = await open({ lookup, allow: ['127.0.0.0/8'] }).fetch(`http://rebind.example:${port}/`);
    expect(await response.text()).toBe('hello');
    expect(asked).toEqual(['rebind.example']);
  });

  test('is refused on the next connection', async () => {
    const { port, server } = await serve((_request, response) =>
      response.setHeader('connection', 'close').end('hello'),
    );
    const { lookup, asked } = answering(['127.0.0.1'], ['127.0.0.2']);
    const outbound = open({ lookup, allow: ['127.0.0.1'] });
    const ended = closed(server);
    await (await outbound.fetch(`http://rebind.example:${port}/`)).text();
    await ended;
    expect(await rejection(outbound.fetch(`http://rebind.example:${port}/`))).toBeInstanceOf(OutboundBlocked);
    expect(asked).toHaveLength(2);
  });
});

describe('the allow list', () => {
  test('opens a host by name', async () => {
    const { port } = await serve();
    const { lookup } = answering(['127.0.0.1']);
    const outbound = open({ lookup, allow: ['wiki.corp'] });
    expect((await outbound.fetch(`http://wiki.corp:${port}/`)).status).toBe(200);
    expect((await outbound.fetch(`http://WIKI.corp.:${port}/`)).status).toBe(200);
    expect(await rejection(outbound.fetch(`http://mail.corp:${port}/`))).toBeInstanceOf(OutboundBlocked);
  });

  test('opens one port of a host and no other', async () => {
    const [opened, shut] = [await serve(), await serve()];
    const outbound = open({ allow: [`127.0.0.1:${opened.port}`] });
    expect((await outbound.fetch(opened.url)).status).toBe(200);
    expect(await rejection(outbound.fetch(shut.url))).toBeInstanceOf(OutboundBlocked);
    expect(shut.connections()).toBe(0);
  });

  test('opens an address in every spelling', async () => {
    const { port } = await serve();
    const outbound = open({ allow: ['127.0.0.0/8'] });
    expect((await outbound.fetch(`http://2130706433:${port}/`)).status).toBe(200);
    expect((await outbound.fetch(`http://[::ffff:127.0.0.1]:${port}/`)).status).toBe(200);
  });

  test('with a bad entry fails at creation', () => {
    expect(() => createOutbound({ allow: ['*.corp'] })).toThrow('outbound.allow: "*.corp"');
  });
});
