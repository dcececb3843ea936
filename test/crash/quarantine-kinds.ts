import { expect } from 'vitest';
import { upload } from '../../src/files/upload-for-tests.ts';
import { deliverFromGithub } from '../../src/webhooks/send-for-tests.ts';
import { call } from '../support/call.ts';

/** What works on this dies, or hangs while nothing is to die yet. */
export const POISON = 'poison';
export const SOUND = 'sound';
type Text = typeof POISON | typeof SOUND;

/** A server, and the address of a site and receiver outside. */
export type Place = { url: string; key: string; receiver: string };

export type Kind = {
  /** Whose task it is; executions of workflows have none. */
  queue: string;
  /** Stores one, and returns how `read` finds it. */
  store(at: Place, text: Text): Promise<string>;
  /** Whether it fails where nothing answers for ten seconds, so that it is stored just before the first death. */
  isImpatient?: true;
  /** Its state as its owner sees it. */
  read(at: Place, id: string): Promise<unknown>;
  /** The state of sound work that is done, and of poison that is set aside. */
  ends: { sound: unknown; poison: unknown };
};

/** Answered, as the server is up. */
async function send<T = { id: string }>(at: Place, path: string, body?: object): Promise<T> {
  const answer = await call(at, path, body ? { body } : {});
  if (answer.status >= 300) throw new Error(`${path} was answered with ${answer.status}: ${answer.text}`);
  return answer.body as T;
}

const read =
  <Name extends string>(pathOf: (id: string) => string, name: Name): Kind['read'] =>
  async (at, id) =>
    (await send<Record<Name, unknown>>(at, pathOf(id)))[name];

const OBSERVABILITY = '/v1/observability';
const SECRET = 'the secret of the repository';

const conversation: Kind = {
  queue: 'conversation-runs',
  store: async (at, text) =>
    (await send(at, '/openai/v1/responses', { model: 'small', input: text, background: true })).id,
  read: read((id) => `/openai/v1/responses/${id}`, 'status'),
  ends: { sound: 'completed', poison: 'failed' },
};

const batch: Kind = {
  queue: 'batch',
  store: async (at, text) => {
    const requests = [{ custom_id: '1', body: { messages: [{ role: 'user', content: text }] } }];
    return (await send(at, '/v1/batch/jobs', { endpoint: '/v1/chat/completions', model: 'small', requests })).id;
  },
  read: read((id) => `/v1/batch/jobs/${id}`, 'status'),
  ends: { sound: 'SUCCESS', poison: 'RUNNING' },
};

/** A model writes its summary. */
const document: Kind = {
  queue: 'library-documents',
  async store(at, text) {
    const library = await send(at, '/v1/libraries', { name: text });
    const documents = `/v1/libraries/${library.id}/documents`;
    const form = new FormData();
    form.append('file', new Blob([`The ${text}. `.repeat(50)]), 'a.txt');
    const headers = { authorization: `Bearer ${at.key}` };
    const answer = await fetch(`${at.url}${documents}`, { method: 'POST', body: form, headers });
    return `${documents}/${((await answer.json()) as { id: string }).id}`;
  },
  read: read((path) => path, 'process_status'),
  ends: { sound: 'done', poison: 'error' },
};

/** The site map of a library's source. */
const source: Kind = {
  queue: 'library-sources',
  isImpatient: true,
  async store(at, text) {
    const library = await send(at, '/v1/libraries', { name: `Source of ${text}` });
    const sources = `/v1/libraries/${library.id}/sources`;
    await send(at, sources, { place: { type: 'site', url: `${at.receiver}/${text}.xml` } });
    return sources;
  },
  read: async (at, path) => (await send<{ data: { status: string }[] }>(at, path)).data[0]?.status,
  ends: { sound: 'done', poison: 'error' },
};

/** The vectors of a document of a search index. */
const index: Kind = {
  queue: 'retrieval',
  async store(at, text) {
    const embedding = { type: 'mistral', name: 'vectors', dimensions: 3 };
    await send(at, '/v1/context/search-indexes', { name: text, config: { embedding } });
    const path = `/v1/context/search-indexes/${text}`;
    await send(at, `${path}/documents`, { documents: [{ id: 'a', content: `The ${text} of words.` }] });
    return path;
  },
  async read(at, path) {
    const find = async (retriever: object) =>
      (await send<{ hits: unknown[] }>(at, `${path}/search`, { retriever })).hits.length;
    return {
      byWords: await find({ type: 'keyword', query: 'words' }),
      byMeaning: await find({ type: 'nearest_neighbour', query: 'words' }),
    };
  },
  ends: { sound: { byWords: 1, byMeaning: 1 }, poison: { byWords: 1, byMeaning: 0 } },
};

const training: Kind = {
  queue: 'classifier-trainings',
  async store(at, text) {
    const examples = ['money', 'parcel'].flatMap((label) =>
      Array.from({ length: 12 }, (_, n) => JSON.stringify({ text: `${text} ${n} ${label}`, label })),
    );
    const file = (await upload(at, examples.join('\n'), { purpose: 'fine-tune' })).body as { id: string };
    return (await send(at, '/v1/classifiers/trainings', { name: text, file_id: file.id })).id;
  },
  read: read((id) => `/v1/classifiers/trainings/${id}`, 'status'),
  ends: { sound: 'SUCCESS', poison: 'FAILED' },
};

const evaluation: Kind = {
  queue: 'evaluation-runs',
  async store(at, text) {
    await send(at, `${OBSERVABILITY}/projects`, { name: text });
    await send(at, `${OBSERVABILITY}/projects/${text}/evaluations_v2`, { name: text });
    const dataset = await send(at, `${OBSERVABILITY}/datasets`, { name: text, description: '' });
    await send(at, `${OBSERVABILITY}/datasets/${dataset.id}/records`, {
      payload: { messages: [{ role: 'user', content: text }] },
      properties: { expected: 'ok' },
    });
    const plan = { system: { kind: 'model', model: 'small' }, evaluators: [{ check: 'exact_match' }] };
    return (await send(at, `${OBSERVABILITY}/evaluations_v2/${text}/runs`, { ...plan, dataset_id: dataset.id })).id;
  },
  read: read((id) => `${OBSERVABILITY}/evaluation-runs_v2/${id}`, 'status'),
  ends: { sound: 'completed', poison: 'running' },
};

/** Of the end of the sound evaluation. */
const notification: Kind = {
  queue: 'notification-deliveries',
  async store(at, text) {
    const endpoint = { url: `${at.receiver}/${text}`, event_types: ['evaluation.finished'] };
    return (await send(at, '/v1/notifications/endpoints', endpoint)).id;
  },
  read: async (at, id) =>
    (await send<{ data: { status: string }[] }>(at, `/v1/notifications/endpoints/${id}/deliveries`)).data[0]?.status,
  ends: { sound: 'delivered', poison: 'pending' },
};

/** Begins a conversation with an agent; the tools of the poison are asked for before the conversation is stored. */
const delivery: Kind = {
  queue: 'webhook-deliveries',
  isImpatient: true,
  async store(at, text) {
    const tools = text === POISON ? [{ type: 'connector', connector_id: POISON }] : [];
    const agent = await send(at, '/v1/agents', { model: 'small', name: text, tools });
    const webhook = await send<{ id: string; url: string }>(at, '/v1/webhooks', {
      ...{ provider: 'github', name: text, secret: SECRET },
    });
    const trigger = await send(at, '/v1/triggers', {
      ...{ event_source_id: webhook.id, handler: 'agents', owner_type: 'workspace', title: text },
      action: { primitive_id: agent.id, type: 'start_agent_session' },
    });
    await deliverFromGithub(at, webhook, SECRET, { text: 'hello' });
    return trigger.id;
  },
  read: async (at, id) => (await send<{ data: { status: string }[] }>(at, `/v1/triggers/${id}/events`)).data[0]?.status,
  ends: { sound: 'TRIGGERED', poison: 'SUBMITTED' },
};

const SET_ASIDE = 'internal.execution.quarantined';

/** A workflow; `deadly-worker-for-tests.ts` has the code. */
const execution = (names: Record<Text, string>, ends: Kind['ends']): Kind => ({
  queue: 'executions',
  store: async (at, text) =>
    (await send<{ execution_id: string }>(at, `/v1/workflows/${names[text]}/execute`, { input: {} })).execution_id,
  async read(at, id) {
    const path = `/v1/workflows/executions/${id}?include_search_keys=true`;
    const found = await send<{ status: string; search_keys: Record<string, string> }>(at, path);
    return `${found.status} ${found.search_keys[SET_ASIDE] ?? ''}`;
  },
  ends,
});

const lostWorkers = { sound: 'COMPLETED ', poison: expect.stringMatching(/^RUNNING 3 workers did not survive it/) };
const turn = execution({ sound: 'fine', poison: 'exits' }, lostWorkers);
const step = execution({ sound: 'fine', poison: 'runs-exits' }, lostWorkers);
/** The server dies when it wakes the poison: `fixtures/die-of-run.ts`. */
export const SLEEPER = 'sleeper';
const sleeper = execution(
  { sound: 'sleeps', poison: 'sleeps' },
  { sound: 'COMPLETED ', poison: 'RUNNING 3 servers did not survive it.' },
);

export const FEW_KINDS = { conversation, batch };

export const ALL_KINDS: Record<string, Kind> = {
  ...FEW_KINDS,
  ...{ document, source, index, training, notification, evaluation, delivery, turn, step, [SLEEPER]: sleeper },
};
