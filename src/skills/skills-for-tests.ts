import { type Answer, call } from '../../test/support/call.ts';
import type { TestServer } from '../../test/support/server.ts';

type Body = Record<string, unknown>;

let made = 0;

/** Requests to the skill API, and skills with unique names. */
export function skillCalls(server: () => TestServer) {
  const ask = (path: string, options: Parameters<typeof call>[2] = {}) => call(server(), `/v2/skills${path}`, options);
  const bodyOf = async (answer: Promise<Answer>) => {
    const { status, body, text } = await answer;
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return body as Body;
  };
  return {
    ask,
    read: (path: string, key?: string) => bodyOf(ask(path, key === undefined ? {} : { key })),
    newName: () => `skill-${++made}`,
    async make(request: Body = {}, key?: string) {
      const name = `skill-${++made}`;
      const body = { name, definition: { description: 'Does things.', body: '# Things\n' }, ...request };
      const skill = await bodyOf(ask('', { body, ...(key === undefined ? {} : { key }) }));
      return skill as Body & { id: string; name: string; definition: Body };
    },
    addVersion: (idOrName: string, text: string, more: Body = {}) =>
      bodyOf(ask(`/${idOrName}/versions`, { body: { definition: { body: text }, ...more } })),
    patch: (path: string, body: Body, key?: string) =>
      ask(path, { method: 'PATCH', body, ...(key === undefined ? {} : { key }) }),
    names: async (path: string, key?: string) => {
      const { data } = await bodyOf(ask(path, key === undefined ? {} : { key }));
      return (data as { name: string }[]).map(({ name }) => name);
    },
  };
}
