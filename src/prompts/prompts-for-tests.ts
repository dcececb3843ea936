import { randomUUID } from 'node:crypto';
import { type Answer, call } from '../../test/support/call.ts';
import type { TestServer } from '../../test/support/server.ts';

export type Wire = Record<string, unknown>;

/** Shortcuts for requests with the given key. */
export function clientOf(server: () => TestServer) {
  const send = (method: string, path: string, body?: unknown, key?: string, headers: Record<string, string> = {}) =>
    call(server(), path, { method, body, key, headers });
  const client = {
    newName: () => `p-${randomUUID().slice(0, 8)}`,
    get: (path: string, key?: string, headers?: Record<string, string>): Promise<Answer> =>
      send('GET', path, undefined, key, headers),
    read: async (path: string, key?: string): Promise<Wire> => (await client.get(path, key)).body as Wire,
    create: (body: Wire, key?: string) => send('POST', '/v2/prompts', body, key),
    /** A prompt with a unique name. */
    async made(more: Wire = {}, key?: string): Promise<Wire & { id: string; name: string }> {
      const { body } = await client.create({ name: client.newName(), definition: { content: 'Hi' }, ...more }, key);
      return body as Wire & { id: string; name: string };
    },
    addVersion: (name: string, body: Wire, key?: string, headers?: Record<string, string>) =>
      send('POST', `/v2/prompts/${name}/versions`, body, key, headers),
    patch: (path: string, body: unknown, key?: string, headers?: Record<string, string>) =>
      send('PATCH', path, body, key, headers),
    put: (path: string, body: unknown, key?: string) => send('PUT', path, body, key),
    remove: (path: string, key?: string) => send('DELETE', path, undefined, key),
  };
  return client;
}

export const text = (content: string, ...names: string[]) => ({
  definition: { content, variables: names.map((name) => ({ name })) },
});
