import { ask } from '../support/ask.ts';
import { createRandom } from '../support/random.ts';
import { listOperations, type Operation } from '../tenants/operations.ts';
import { feedBackground } from './background.ts';
import { edgeValue, type Schema } from './edge-values.ts';
import { chatWithEmbedded, occupyEmbedded } from './embedded.ts';
import { followStreams } from './follow-streams.ts';
import {
  type HostileRequest,
  hostileChats,
  hostileInputs,
  hostileRegistrations,
  hostileTimetables,
} from './hostile.ts';
import {
  type AttackOrder,
  type AttackReport,
  inParallel,
  join,
  post,
  repeat,
  type Sent,
  sendAll,
  tally,
} from './send.ts';
import { uploadFiles } from './uploads.ts';

const MODEL = 'small';
const WORKFLOW = 'greet';
/** Bytes of one generated body. */
const BODY_BYTES = { quick: 200_000, full: 2_000_000 };
/** Longer than an attack: everything is compared with its p99, which the slowest ten of a thousand requests decide. */
const ORDINARY_MS = { quick: 1000, full: 30_000 };

export type Attack = (order: AttackOrder) => Promise<AttackReport>;

/** Again and again for so long, with other values each time: a p99 of twenty requests would be the slowest of them. */
export async function attackFor(attack: Attack, order: AttackOrder, atLeastMs: number): Promise<AttackReport> {
  const until = performance.now() + atLeastMs;
  const reports = [await attack(order)];
  for (let round = 1; performance.now() < until; round++)
    reports.push(await attack({ ...order, seed: order.seed + round }));
  return join(reports);
}

/** What the tenant does by name, in order: later attacks use what earlier ones stored. The first is the control. */
export const attacks: Record<string, Attack> = {
  'ordinary requests': ordinaryRequests,
  'requests at the edge of every limit': atEdges,
  timetables: (order) => sendAll(order, repeat(hostileTimetables(WORKFLOW), order.isQuick ? 1 : 5)),
  'JSON schemas in chats': (order) => sendAll(order, repeat(hostileChats(MODEL), order.isQuick ? 1 : 4)),
  'JSON schemas of workers, and inputs': async (order) => {
    const registered = await sendAll(order, hostileRegistrations());
    return join([registered, await sendAll(order, repeat(hostileInputs(), order.isQuick ? 1 : 3))]);
  },
  'long lists of large objects': longLists,
  'large batches': (order) =>
    sendAll(
      order,
      Array.from({ length: order.isQuick ? 2 : 6 }, () => largeBatch(order)),
    ),
  'uploads, and batches of them': uploadFiles,
  'streams that are followed': (order) => followStreams(order, WORKFLOW),
  'background work on the largest rows': (order) => feedBackground(order, WORKFLOW),
  'ordinary chats with the embedded model': chatWithEmbedded,
  'the embedded model': occupyEmbedded,
};

/** Objects of the attacker that paths and bodies can name. */
export async function prepareAttacker({ url, key }: AttackOrder): Promise<void> {
  const definitions = [{ name: WORKFLOW, task_queue: 'main', input_schema: { type: 'object' } }];
  await post(url, key, '/v1/workflows/register', { definitions, deployment_name: 'main', worker_name: 'w' });
}

/** As many requests at once as an attack sends, of the kind that every tenant sends. */
async function ordinaryRequests(order: AttackOrder): Promise<AttackReport> {
  const until = performance.now() + (order.isQuick ? ORDINARY_MS.quick : ORDINARY_MS.full);
  const reports: AttackReport[] = [];
  for (let round = 0; performance.now() < until; round++) {
    const chat = {
      path: '/v1/chat/completions',
      body: { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] },
    };
    const agent = { path: '/v1/agents', body: { model: MODEL, name: `a${round}`, instructions: 'Be kind.' } };
    const conversation = { path: '/v1/conversations', body: { model: MODEL, inputs: 'Hello' } };
    const execution = { path: `/v1/workflows/${WORKFLOW}/execute`, body: { input: {} } };
    reports.push(await sendAll(order, [...repeat([chat], 5), agent, conversation, execution]));
  }
  return join(reports);
}

/** Every operation of the API with bodies and queries whose fields are as large as the schema allows. */
async function atEdges(order: AttackOrder): Promise<AttackReport> {
  const random = createRandom(order.seed);
  const { operations, resolve } = listOperations();
  const own = operations.filter(
    ({ route, isUpload }) => (route.surface ?? 'standard') === 'standard' && !isUpload && !waits(route),
  );
  const ids = await makeIds(order);
  const rounds = order.isQuick ? 1 : 6;
  const requests: (() => Promise<Sent>)[] = [];
  for (let round = 0; round < rounds; round++)
    for (const operation of own) {
      const seed = Math.floor(random() * 2 ** 31);
      requests.push(() => sendEdge(order, operation, ids, resolve as never, seed));
    }
  return tally(await inParallel(requests));
}

/** Streams that are followed, and long polls: slow clients have a part of their own. */
function waits({ method, path, streams }: Operation['route']): boolean {
  return (method === 'GET' && streams !== undefined) || path.startsWith('/mcp') || path.endsWith('/poll');
}

async function sendEdge(
  { url, key, isQuick }: AttackOrder,
  { route, body, parameters }: Operation,
  ids: Record<string, string>,
  resolve: (schema: Schema) => Schema,
  seed: number,
): Promise<Sent> {
  const random = createRandom(seed);
  const path = route.path.replace(/:(\w+)|\*/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'x'));
  const query = new URLSearchParams();
  for (const { name, in: place, required, schema } of parameters)
    if (place === 'query' && (required || /size|limit/.test(name)) && !/token|cursor|id$/.test(name))
      query.set(
        name,
        String((resolve(schema as Schema) as Schema).maximum ?? edgeValue(schema as Schema, resolve, random, 10)),
      );
  const bytes = isQuick ? BODY_BYTES.quick : BODY_BYTES.full;
  const value = body && withKnown(edgeValue(body as Schema, resolve, random, bytes), ids);
  const answered = await ask(`${url}${path}${query.size > 0 ? `?${query}` : ''}`, {
    method: route.method,
    headers: { authorization: `Bearer ${key}`, ...(value === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(value === undefined ? {} : { body: Buffer.from(JSON.stringify(value)) }),
  });
  return { name: `${route.method} ${route.path}`, answered };
}

/** Names of things that must exist for the request to be accepted. */
function withKnown(value: unknown, ids: Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withKnown(item, ids));
  if (typeof value !== 'object' || value === null) return value;
  const made: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'model' && typeof inner === 'string') made[name] = MODEL;
    // A response that waits for a worker says nothing about others, and takes minutes.
    else if (name === 'stream' || name === 'wait_for_result') made[name] = false;
    else if (typeof inner === 'string' && ids[name] !== undefined) made[name] = ids[name];
    else made[name] = withKnown(inner, ids);
  }
  return made;
}

async function makeIds({ url, key }: AttackOrder): Promise<Record<string, string>> {
  const made = async (path: string, body: unknown) =>
    (JSON.parse((await post(url, key, path, body)).text) ?? {}) as Record<string, string>;
  const agent = await made('/v1/agents', { model: MODEL, name: 'Poet' });
  const conversation = await made('/v1/conversations', { model: MODEL, inputs: 'Hi' });
  const prompt = await made('/v2/prompts', { name: `p${Date.now()}`, definition: { content: 'Hi' } });
  const skill = await made('/v2/skills', { name: `s${Date.now()}`, definition: { description: 'Use it.', body: 'x' } });
  const execution = await made(`/v1/workflows/${WORKFLOW}/execute`, { input: {} });
  return {
    agent_id: agent.id ?? 'x',
    conversation_id: conversation.conversation_id ?? 'x',
    prompt_id: prompt.id ?? 'x',
    skill_id: skill.id ?? 'x',
    execution_id: execution.execution_id ?? 'x',
    workflow_identifier: WORKFLOW,
    model_id: MODEL,
    version: '1',
  };
}

/** Many objects of the greatest size, and readers of pages as long as possible. */
async function longLists(order: AttackOrder): Promise<AttackReport> {
  const length = order.isQuick ? 50_000 : 250_000;
  const count = order.isQuick ? 12 : 100;
  const long = (n: number) => `${n} ${'Be kind. '.repeat(Math.ceil(length / 9))}`.slice(0, length);
  const stored = await sendAll(order, [
    ...Array.from({ length: count }, (_, n) => ({
      path: '/v1/agents',
      body: { model: MODEL, name: `a${n}`, instructions: long(n) },
    })),
    ...Array.from({ length: count }, (_, n) => ({
      path: '/v2/prompts',
      body: { name: `long-${Date.now()}-${n}`, definition: { content: long(n) } },
    })),
    ...Array.from({ length: count / 2 }, (_, n) => ({
      path: '/v1/conversations',
      body: { model: MODEL, inputs: long(n) },
    })),
  ]);
  const lists = ['/v1/agents?page_size=1000', '/v2/prompts?page_size=100', '/v1/conversations?page_size=1000'];
  const reads = Array.from({ length: order.isQuick ? 2 : 6 }, () => lists).flat();
  const read = await inParallel(
    reads.map((path) => async () => ({
      name: `GET ${path}`,
      answered: await ask(`${order.url}${path}`, { headers: { authorization: `Bearer ${order.key}` } }),
    })),
  );
  return join([stored, tally(read)]);
}

function largeBatch({ isQuick }: AttackOrder): HostileRequest {
  const [schema] = hostileChats(MODEL);
  const requests = Array.from({ length: isQuick ? 200 : 5000 }, (_, n) => ({
    custom_id: String(n),
    body: n % 10 === 0 ? schema?.body : { messages: [{ role: 'user', content: 'x'.repeat(500) }] },
  }));
  return { path: '/v1/batch/jobs', body: { endpoint: '/v1/chat/completions', model: MODEL, requests } };
}
