import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestServer } from '../../test/support/server.ts';

export const eras = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof eras)[number];
type Changes = NonNullable<ConstructorParameters<typeof Client>[1]>['listChanged'];

/** The official TypeScript client, pinned to one revision. */
export async function connect(
  { url, key }: Pick<TestServer, 'url' | 'key'>,
  era: Era,
  listChanged?: Changes,
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
      ...(listChanged ? { listChanged } : {}),
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return { client, transport };
}
