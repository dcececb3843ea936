import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { sqliteForTests } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { startFakeMcp } from '../support/mcp-server.ts';
import { python, pythonWithMcp } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import { startTestServer } from '../support/server.ts';

inFull
  .given(python && pythonWithMcp === python)
  .it(
    'the Python SDK stores connectors and reaches them through the gateway, without their credentials',
    { timeout: 60_000 },
    async () => {
      const fake = await startFakeMcp();
      fake.instead = (request, response) => {
        if (!request.url?.startsWith('/api/')) return false;
        const { method, url, headers } = request;
        const seen = { method, url, type: headers['content-type'] ?? null, sent: headers.authorization };
        const status = url === '/api/missing' ? 404 : 200;
        response
          .writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'a=b' })
          .end(JSON.stringify(seen));
        return true;
      };
      const server = await startTestServer(sqliteForTests(), { file: { outbound: { allow: [fake.place] } } });
      const script = fileURLToPath(new URL('./connector-gateway.py', import.meta.url));
      const api = new URL('/api', fake.url).href;
      const stdout = await runPython(script, [server.url, server.key, fake.url, api]);
      const sent = '[redacted]';
      expect(JSON.parse(stdout)).toEqual({
        created: ['mcp', 'user', 'http', false],
        stored: expect.stringContaining("'main'"),
        credentials: [['main', 'bearer', 'user']],
        names: ['py-wiki', 'py-api'],
        tools: ['echo'],
        called: 'You said salut',
        'mcp tools': ['echo'],
        'mcp call': 'You said encore',
        'http get': [200, { method: 'GET', url: '/api/winds/tramontane?unit=knots', type: null, sent }],
        'http post': [200, { method: 'POST', url: '/api/winds', type: 'text/csv', sent }],
        'http error': 404,
        'refused nowhere': [404, 'destination_not_found'],
        'refused py-wiki': [400, 'http_request_denied'],
        'refused mcp': [404, 'destination_not_found'],
        left: [],
      });
      const sentTokens = fake.seen.map(({ headers }) => headers.authorization);
      expect(sentTokens).toContain('Bearer a-token-of-python');
      expect(JSON.stringify(fake.seen)).not.toContain(server.key);
    },
  );
