import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../serve/ask.ts';
import type { Forbidden } from './addresses.ts';
import { MODEL, type Scene } from './scene.ts';

/**
 * A feature by which a client, or a response of the operator's own servers, could direct our requests to an address.
 */
export type Feature = {
  name: string;
  /** Whether the address was refused, in whatever way this feature refuses. */
  refuses(scene: Scene, forbidden: Forbidden, at: number): Promise<boolean>;
  /** Never makes a request, whether the address is allowed or not. */
  neverFollows?: boolean;
};

type Outputs = { outputs?: { type: string; info?: { error?: string } }[] };

const chunks = (address: string) => [
  { type: 'image_url', image_url: address },
  { type: 'image_url', image_url: { url: address } },
  { type: 'document_url', document_url: address },
];

/** In messages: the address would be passed to a model server, which would fetch it. */
function inMessages(name: string, path: string, bodyOf: (content: unknown[]) => unknown): Feature {
  return {
    name,
    async refuses({ post, model }, { address }) {
      const asked = model.seen.length;
      const answers = [];
      for (const chunk of chunks(address)) answers.push(await post(path, bodyOf([chunk])));
      return answers.every(({ status }) => status === 400 || status === 422) && model.seen.length === asked;
    },
  };
}

/** A built-in tool whose server redirects our request. */
function byTool(type: 'web_search' | 'image_generation', input: Record<string, unknown>): Feature {
  return {
    name: `a redirect of ${type}`,
    async refuses({ post, redirector, says }, { address }) {
      redirector.sendTo(address);
      says(type, input);
      const body = { model: MODEL, inputs: 'x', store: false, tools: [{ type }] };
      return failed(await post('/v1/conversations', body));
    },
  };
}

function failed({ text }: { text: string }): boolean {
  const { outputs = [] } = JSON.parse(text) as Outputs;
  return outputs.some(({ info }) => info?.error !== undefined);
}

function document(name: string, of: (address: string) => unknown): Feature {
  return {
    name,
    async refuses({ post }, { address }) {
      const { status } = await post('/v1/ocr', { model: 'reader', document: of(address) });
      return status === 400 || status === 422;
    },
  };
}

/** Fetched in the background: the document ends as a failed one. */
function pageOfLibrary(name: string, of: (scene: Scene, address: string) => string): Feature {
  return {
    name,
    async refuses(scene, { address }) {
      const library = JSON.parse((await scene.post('/v1/libraries', { name })).text) as { id: string };
      const added = await scene.post(`/v1/libraries/${library.id}/web-documents`, { url: of(scene, address) });
      if (added.status === 422) return true;
      const { id } = JSON.parse(added.text) as { id: string };
      const path = `/v1/libraries/${library.id}/documents/${id}/status`;
      const headers = { authorization: `Bearer ${scene.server.key}` };
      for (;;) {
        const { text } = await ask(scene.server.url, { method: 'GET', path, headers });
        const { processing_status } = JSON.parse(text) as { processing_status: string };
        if (processing_status !== 'Running') return processing_status === 'Failed';
        await delay(10);
      }
    },
  };
}

const ENDPOINTS = '/v1/notifications/endpoints';

/** Whether a test message is refused with its address, or ends as one that could not be delivered. */
async function isKeptFrom(scene: Scene, address: string): Promise<boolean> {
  const created = await scene.post(ENDPOINTS, { url: address, event_types: ['budget.near'] });
  if (created.status === 422) return true;
  const path = `${ENDPOINTS}/${(JSON.parse(created.text) as { id: string }).id}`;
  await scene.post(`${path}/test`, {});
  const headers = { authorization: `Bearer ${scene.server.key}` };
  for (;;) {
    const { text } = await ask(scene.server.url, { method: 'GET', path: `${path}/deliveries`, headers });
    const [delivery] = (JSON.parse(text) as { data: { attempts: number; status: string }[] }).data;
    if (delivery && delivery.attempts > 0) {
      await ask(scene.server.url, { method: 'DELETE', path, headers });
      return delivery.status !== 'delivered';
    }
    await delay(10);
  }
}

const SIGNED = '/v1/files/00000000-0000-4000-8000-000000000000/download?expires=9999999999&signature=x';

export const features: Feature[] = [
  inMessages('images and documents in chat', '/v1/chat/completions', (content) => ({
    model: MODEL,
    messages: [{ role: 'user', content }],
  })),
  inMessages('images and documents in conversations', '/v1/conversations', (content) => ({
    model: MODEL,
    store: false,
    inputs: [{ role: 'user', content }],
  })),
  document('the document of OCR', (document_url) => ({ type: 'document_url', document_url })),
  document('the image of OCR', (image_url) => ({ type: 'image_url', image_url })),
  document('the document of OCR, dressed as a signed address of ours', (address) => ({
    type: 'document_url',
    document_url: /^http:\/\/[^@#]*\/a\.png$/.test(address) ? address.replace('/a.png', SIGNED) : address,
  })),
  {
    name: 'a redirect of the document of OCR',
    async refuses({ post, redirector }, { address }) {
      redirector.sendTo(address);
      const body = { model: 'reader', document: { type: 'document_url', document_url: `${redirector.url}/a.pdf` } };
      return (await post('/v1/ocr', body)).status === 400;
    },
  },
  pageOfLibrary('a page of the web for a library', (_, address) => address),
  pageOfLibrary('a redirect of a page for a library', ({ redirector }, address) => {
    redirector.sendTo(address);
    return `${redirector.url}/page`;
  }),
  {
    name: 'a notification',
    refuses: async (scene, { address }) => isKeptFrom(scene, address),
  },
  {
    name: 'a redirect of a notification',
    neverFollows: true,
    async refuses(scene, { address }) {
      scene.redirector.sendTo(address);
      return isKeptFrom(scene, `${scene.redirector.url}/hook`);
    },
  },
  byTool('web_search', { query: 'x' }),
  byTool('image_generation', { prompt: 'x' }),
  {
    name: 'a redirect of a connector',
    neverFollows: true,
    async refuses({ post, redirector }, { address }, at) {
      redirector.sendTo(address);
      const tools = [{ type: 'connector', connector_id: `c${at}` }];
      return failed(await post('/v1/conversations', { model: MODEL, inputs: 'x', store: false, tools }));
    },
  },
];

/** Whether a feature fetches an allowed address: otherwise its refusals would prove nothing. */
export async function goesAnywhere(scene: Scene, feature: Feature): Promise<boolean> {
  const { welcome, model } = scene;
  const before = [welcome.visits(), model.seen.length] as const;
  await feature.refuses(scene, { what: 'allowed', address: welcome.address }, 0);
  return welcome.visits() > before[0] || model.seen.slice(before[1]).some(({ text }) => text.includes(welcome.address));
}
