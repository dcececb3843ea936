/** One kind of request, and the expected status; 0 is a client that disconnects without waiting. */
export type Kind = {
  /** How many of a hundred requests are of this kind. */
  share: number;
  status: number;
  method?: 'GET' | 'POST' | 'DELETE';
  path?: string;
  key?: string;
  body?: (client: string) => unknown;
};

const chat = (content: string) => (model: string) => ({ model, messages: [{ role: 'user', content }] });
const streamed = (content: string) => (model: string) => ({ ...chat(content)(model), stream: true });
const conversation = (model: string) => ({ model, inputs: 'hello' });

/** Every known way in which a chat fails: fifty of a hundred. */
const FAILING_CHATS: Kind[] = [
  { share: 10, status: 401, key: 'tmk_nobody', body: chat('hello') },
  { share: 10, status: 422, body: (model) => ({ model, messages: 'hello', unknown: true }) },
  { share: 6, status: 400, body: () => ({ model: 'nowhere', messages: [{ role: 'user', content: 'hello' }] }) },
  { share: 6, status: 404, path: '/v1/nowhere', body: chat('hello') },
  { share: 6, status: 503, body: chat('!500') },
  { share: 6, status: 429, body: chat('!429') },
  { share: 1, status: 502, body: chat('!reset') },
  { share: 5, status: 0, body: chat('!wait') },
];

const MISSING = '00000000-0000-4000-8000-000000000000';

/** Half of each succeeds, and half fails. */
export const MIXES = {
  chats: [{ share: 50, status: 200, body: chat('A question. '.repeat(75)) }, ...FAILING_CHATS],
  platform: [
    { share: 15, status: 200, body: chat('A question. '.repeat(75)) },
    { share: 3, status: 200, body: streamed('A question.') },
    { share: 8, status: 200, method: 'GET', path: '/v1/models' },
    { share: 10, status: 200, method: 'GET', path: '/v2/prompts/greeting?alias=live' },
    { share: 5, status: 200, method: 'GET', path: '/v1/users/me' },
    { share: 3, status: 200, method: 'GET', path: '/v1/conversations?page_size=5' },
    { share: 2, status: 200, method: 'GET', path: '/v1/workflows?limit=5' },
    { share: 1, status: 200, path: '/v1/conversations', body: conversation },
    {
      share: 1,
      status: 200,
      path: '/v2/prompts/greeting/versions',
      body: (client) => ({ definition: { content: `${client} ${Math.random()}` }, aliases: ['live'] }),
    },
    { share: 2, status: 200, method: 'GET', path: '/v1/files?page_size=5' },
    { share: 8, status: 401, key: 'tmk_nobody', body: chat('hello') },
    { share: 8, status: 422, body: (model) => ({ model, messages: 'hello', unknown: true }) },
    { share: 4, status: 400, body: () => ({ model: 'nowhere', messages: [{ role: 'user', content: 'hello' }] }) },
    { share: 5, status: 404, method: 'GET', path: `/v1/conversations/conv_${MISSING.replaceAll('-', '')}` },
    { share: 5, status: 404, method: 'GET', path: `/v2/prompts/${MISSING}` },
    { share: 4, status: 404, method: 'DELETE', path: `/v1/files/${MISSING}` },
    { share: 4, status: 401, method: 'GET', path: '/v1/admin/users' },
    { share: 4, status: 503, body: chat('!500') },
    { share: 4, status: 429, body: chat('!429') },
    { share: 1, status: 502, body: chat('!reset') },
    { share: 3, status: 0, body: chat('!wait') },
  ],
} satisfies Record<string, Kind[]>;

export type MixName = keyof typeof MIXES;

/** Evenly mixed, so that no model fails so often in a row that its circuit breaker opens. */
export function roundOf(mix: MixName): Kind[] {
  const kinds: Kind[] = MIXES[mix];
  return kinds
    .flatMap((kind) => Array.from({ length: kind.share }, (_, i) => ({ kind, at: (i + 0.5) / kind.share })))
    .sort((a, b) => a.at - b.at)
    .map(({ kind }) => kind);
}
