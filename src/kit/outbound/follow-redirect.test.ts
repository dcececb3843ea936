import { describe, expect, test } from 'vitest';
import { followRedirect, isRedirect } from './follow-redirect.ts';

const request = {
  url: new URL('https://a.test/start?x=1'),
  method: 'POST',
  headers: {
    accept: 'image/png',
    authorization: 'Bearer secret',
    cookie: 'secret',
    'proxy-authorization': 'secret',
    'x-api-key': 'secret',
    'content-type': 'text/plain',
  },
  body: 'hello',
};

describe('the method', () => {
  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
    [302, 'GET', 'GET'],
  ])('%i turns %s into %s', (status, method, expected) => {
    expect(followRedirect({ ...request, method }, status, '/next').method).toBe(expected);
  });

  test('a request that becomes GET loses its body and the headers about it', () => {
    const next = followRedirect(request, 303, '/next');
    expect(next.body).toBeUndefined();
    expect(next.headers).not.toHaveProperty('content-type');
    expect(next.headers).toHaveProperty('accept');
  });

  test('a kept method keeps its body', () => {
    expect(followRedirect(request, 307, '/next')).toMatchObject({
      body: 'hello',
      headers: { 'content-type': 'text/plain' },
    });
  });
});

describe('the headers', () => {
  test('stay on the same origin', () => {
    expect(followRedirect(request, 307, '/next').headers).toEqual(request.headers);
  });

  test.each(['https://b.test/', 'http://a.test/', 'https://a.test:8443/', '//b.test/'])(
    'lose every secret on the way to %s',
    (location) => {
      expect(followRedirect(request, 307, location).headers).toEqual({
        accept: 'image/png',
        'content-type': 'text/plain',
      });
    },
  );

  test('do not come back when a later redirect returns to the first origin', () => {
    const away = followRedirect(request, 307, 'https://b.test/');
    expect(followRedirect(away, 307, 'https://a.test/').headers).not.toHaveProperty('authorization');
  });
});

describe('the address', () => {
  test('may be relative', () => {
    expect(followRedirect(request, 302, '../next?y=2').url.href).toBe('https://a.test/next?y=2');
  });

  test.each(['file:///etc/passwd', 'gopher://a.test/', 'data:text/plain,x', 'https://user:pass@a.test/', 'http://['])(
    '%s is refused',
    (location) => {
      expect(() => followRedirect(request, 302, location)).toThrow('The address is not');
    },
  );
});

test('only the five redirect statuses redirect', () => {
  const statuses = Array.from({ length: 500 }, (_, index) => index + 100);
  expect(statuses.filter(isRedirect)).toEqual([301, 302, 303, 307, 308]);
});
