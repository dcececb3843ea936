import { Agent, request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { addOrganization } from '../../src/admin/admin-for-tests.ts';
import { documentedRoutes } from '../../src/app.ts';
import type { AnyRoute } from '../../src/kit/http/index.ts';
import { CONSOLE_ADMINISTER, CONSOLE_USE } from '../../src/tenants/index.ts';
import { type Asker, type Cast, castEverybody } from './people.ts';

/** A parameter that no operation has: whoever may ask is told so, whoever may not never gets that far. */
const PROBE = '__who_may_ask=1';
const MISSING = '00000000-0000-4000-8000-000000000000';

const routes = documentedRoutes();
const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`;

type Verdict = 'let in' | 'refused' | 'turned away';

function expected(route: AnyRoute, asker: Asker): Verdict {
  if (route.permission === 'public') return 'let in';
  if (asker.surface !== 'session' && asker.surface !== (route.surface ?? 'standard')) return 'turned away';
  return asker.may.has(route.permission) ? 'let in' : 'refused';
}

function verdictOf(status: number): Verdict {
  return status === 401 ? 'turned away' : status === 403 ? 'refused' : 'let in';
}

async function ask({ server }: Cast, route: AnyRoute, { key, headers }: Asker): Promise<Verdict> {
  const path = route.path.replaceAll(/:[a-z_]+/gi, MISSING);
  const answer = await send(server.url, `${path}?${PROBE}`, route, key, headers);
  const verdict = verdictOf(answer.status);
  // The answer to the probe itself, so nothing was done; an operation that only reads may overlook it.
  if (verdict === 'let in' && route.method !== 'GET')
    expect([nameOf(route), answer.text]).toEqual([nameOf(route), expect.stringContaining('__who_may_ask')]);
  return verdict;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const FORM = ['--b', 'content-disposition: form-data; name="file"; filename="x.txt"', '', 'x', '--b--', ''].join(
  '\r\n',
);

/** Thousands of requests: the plain client of Node is several times quicker than fetch. */
function send(
  url: string,
  path: string,
  route: AnyRoute,
  key: string,
  more: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const type = route.upload ? 'multipart/form-data; boundary=b' : 'application/json';
  const body = route.body === undefined || route.method === 'GET' ? undefined : route.upload ? FORM : '{}';
  const headers = {
    accept: 'application/json, text/event-stream',
    ...(key && { authorization: `Bearer ${key}` }),
    ...more,
    ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method: route.method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function formOf(): FormData {
  const form = new FormData();
  form.set('file', new Blob(['x']), 'x.txt');
  return form;
}

let cast: Cast;
beforeAll(async () => {
  cast = await castEverybody();
});

describe('who may ask for what', () => {
  it('every key and every session on every operation of the platform is let in, refused or turned away as its role says [ADMIN-MATRIX]', async () => {
    const wrong: string[] = [];
    let cells = 0;
    for (const asker of cast.askers) {
      const verdicts = await Promise.all(routes.map((route) => ask(cast, route, asker)));
      for (const [index, route] of routes.entries()) {
        cells++;
        const [found, wanted] = [verdicts[index], expected(route, asker)];
        if (found !== wanted) wrong.push(`${asker.name}: ${nameOf(route)} is ${found}, not ${wanted}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(cells).toBe(routes.length * cast.askers.length);
    expect(cast.askers.length).toBeGreaterThan(30);
    expect(routes.length).toBeGreaterThan(100);
  }, 120_000);

  it('has somebody who may and somebody who may not, for every permission that not everybody has', () => {
    const standard = cast.askers.filter(({ surface }) => surface === 'standard');
    for (const permission of new Set(routes.map((route) => route.permission))) {
      if (['public', 'admin', CONSOLE_USE, CONSOLE_ADMINISTER].includes(permission)) continue;
      expect([permission, standard.some(({ may }) => may.has(permission))]).toEqual([permission, true]);
      expect([permission, standard.some(({ may }) => !may.has(permission))]).toEqual([permission, true]);
    }
  });
});

/** How to make one of what a parameter of a path names, and to look at it afterwards; by the name of the parameter. */
type Maker = (create: (path: string, body: unknown) => Promise<Record<string, unknown>>) => Promise<string>;
const makers: Record<string, Maker> = {
  file_id: async (create) => String((await create('/v1/files', undefined)).id),
  agent_id: async (create) => String((await create('/v1/agents', { model: 'm', name: 'A' })).id),
  prompt_id: async (create) =>
    String((await create('/v2/prompts', { name: `p-${unique()}`, definition: { content: 'x' } })).id),
  skill_id: async (create) =>
    String(
      (await create('/v2/skills', { name: `s-${unique()}`, definition: { description: 'A thing', body: 'x' } })).id,
    ),
};
let counter = 0;
const unique = () => ++counter;

describe('what belongs to somebody else', () => {
  const own = new Map<string, string>();
  const strangers: Asker[] = [];
  beforeAll(async () => {
    const { server } = cast;
    const { tenants } = server.platform;
    const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
    const input = { name: 'Next door', description: '', icon: '', adminId: server.ownerId, addsEverybody: false };
    const nextDoor = await tenants.workspaces.create(by, input);
    const key = { workspaceId: nextDoor.id, userId: server.ownerId, name: null, expiresAt: null };
    const everything = new Set(routes.map(({ permission }) => permission));
    strangers.push(
      {
        name: 'another workspace',
        key: (await tenants.keys.createStandard(by, key)).value,
        surface: 'standard',
        may: everything,
      },
      {
        name: 'another organization',
        key: (await addOrganization(server, 'Far')).key,
        surface: 'standard',
        may: everything,
      },
    );
    await tenants.invitations.invite(by, {
      emails: 'i@matrix.test',
      roles: ['member'],
      workspaceIds: [],
      language: null,
      baseUrl: '',
    });
    const far = await addOrganization(server, 'Farther');
    strangers.push({ name: "another organization's admin", key: far.adminKey, surface: 'admin', may: everything });
    const first = { offset: 0, limit: 1 };
    const { groups } = await tenants.groups.list(server.organizationId, first);
    const objects = {
      user_id: server.ownerId,
      workspace_uuid: nextDoor.id,
      group_uuid: groups[0]?.id,
      key_id: (await tenants.keys.listPage(server.organizationId, first))[0]?.id,
      invite_uuid: (await tenants.invitations.list(server.organizationId))[0]?.id,
    };
    for (const [parameter, id = ''] of Object.entries(objects)) own.set(parameter, id);
    for (const [parameter, make] of Object.entries(makers))
      own.set(parameter, await make((path, body) => create(path, body)));

    async function create(path: string, body: unknown): Promise<Record<string, unknown>> {
      const isUpload = body === undefined;
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}`, ...(!isUpload && { 'content-type': 'application/json' }) },
        body: isUpload ? formOf() : JSON.stringify(body),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      expect([path, response.status, answer]).toEqual([path, 200, expect.objectContaining({ id: expect.any(String) })]);
      return answer;
    }
  });

  const adminParameters = ['user_id', 'workspace_uuid', 'group_uuid', 'key_id', 'invite_uuid'];
  const about = routes.filter(({ path, permission, surface }) => {
    const [, parameter = ''] = path.match(/:([a-z_]+)/i) ?? [];
    const isKnown = surface === 'admin' ? adminParameters.includes(parameter) : makers[parameter] !== undefined;
    return permission !== 'public' && isKnown;
  });

  async function tell(route: AnyRoute, id: string, key: string): Promise<[number, string]> {
    let isFirst = true;
    const path = route.path.replaceAll(/:[a-z_]+/gi, () => {
      const part = isFirst ? id : '1';
      isFirst = false;
      return part;
    });
    const { status, text } = await send(cast.server.url, path, route, key);
    return [status, text.replaceAll(id, 'ID')];
  }

  it('answers every operation as what does not exist, from another workspace and from another organization', async () => {
    expect(about.length).toBeGreaterThan(20);
    for (const route of about) {
      const id = own.get((route.path.match(/:([a-z_]+)/i) ?? [])[1] ?? '') ?? '';
      expect([nameOf(route), id]).toEqual([nameOf(route), expect.stringMatching(/^\S+$/)]);
      for (const { name, key, surface } of strangers) {
        if (surface !== (route.surface ?? 'standard')) continue;
        const [theirs, missing] = [await tell(route, id, key), await tell(route, MISSING, key)];
        expect([name, nameOf(route), ...theirs]).toEqual([name, nameOf(route), ...missing]);
        expect([nameOf(route), theirs[0]]).toEqual([nameOf(route), expect.toBeOneOf([404, 422])]);
      }
    }
  });

  it('is still there afterwards, for its owner', async () => {
    const readable = about.filter(({ method, path }) => method === 'GET' && /^[^:]*:[a-z_]+$/i.test(path));
    expect(readable.length).toBeGreaterThan(5);
    for (const route of readable) {
      const id = own.get((route.path.match(/:([a-z_]+)/i) ?? [])[1] ?? '') ?? '';
      const key = route.surface === 'admin' ? cast.server.adminKey : cast.server.key;
      expect([nameOf(route), ...(await tell(route, id, key))]).toEqual([nameOf(route), 200, expect.any(String)]);
    }
  });
});
