import { Agent, request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { addOrganization } from '../../src/admin/admin-for-tests.ts';
import { documentedRoutes } from '../../src/app.ts';
import type { AnyRoute } from '../../src/kit/http/index.ts';
import {
  CONSOLE_ACCOUNT,
  CONSOLE_ADMINISTER,
  CONSOLE_JOIN,
  CONSOLE_OWNER,
  CONSOLE_USE,
} from '../../src/tenants/index.ts';
import { isFull } from '../support/rounds.ts';
import { createClients, type TestClient, type TestClients } from './create-clients.ts';

/** A parameter that no operation has: with the permission the response names it, without it is never parsed. */
const PROBE = '__permission_probe=1';
const MISSING = '00000000-0000-4000-8000-000000000000';

const routes = documentedRoutes();
const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`;

/** The gateway passes a query on, and providers add to addresses what they like: there something else is missing. */
const NOTHING_DONE = new RegExp(`__permission_probe|No connector '${MISSING}'|No webhook has this address`);

/** 401 is `unauthorized`, 403 `forbidden`, anything else `allowed`. */
type Verdict = 'allowed' | 'forbidden' | 'unauthorized';

function expected(route: AnyRoute, client: TestClient): Verdict {
  if (route.permission === 'public') return 'allowed';
  if (client.surface !== 'session' && client.surface !== keySurfaceOf(route)) return 'unauthorized';
  return client.permissions.has(route.permission) ? 'allowed' : 'forbidden';
}

/** Live routes take standard keys beside tokens of their own. */
function keySurfaceOf({ surface = 'standard' }: AnyRoute): string {
  return surface === 'live' ? 'standard' : surface;
}

function verdictOf(status: number): Verdict {
  return status === 401 ? 'unauthorized' : status === 403 ? 'forbidden' : 'allowed';
}

async function probe({ server }: TestClients, route: AnyRoute, { key, headers }: TestClient): Promise<Verdict> {
  const path = route.path.replaceAll(/:[a-z_]+/gi, MISSING);
  const response = await send(server.url, `${path}?${PROBE}`, route, key, headers);
  const verdict = verdictOf(response.status);
  // The response is about the probe, so nothing was done; a read operation may ignore it.
  if (verdict === 'allowed' && route.method !== 'GET')
    expect([nameOf(route), response.text]).toEqual([nameOf(route), expect.stringMatching(NOTHING_DONE)]);
  return verdict;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const FORM = ['--b', 'content-disposition: form-data; name="file"; filename="x.txt"', '', 'x', '--b--', ''].join(
  '\r\n',
);

/** For thousands of requests Node's own client is several times faster than fetch. */
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

/** The short form asks each operation of a permission with one in this many of the clients, in turns. */
const SHARE = 5;

/**
 * Whom to ask, for each operation. The short form still has every client with every permission and surface, and every
 * operation with every verdict.
 */
function chooseClients(clients: readonly TestClient[]): ReadonlyMap<AnyRoute, readonly TestClient[]> {
  const guarded = Map.groupBy(routes, (route) => `${keySurfaceOf(route)} ${route.permission}`);
  const chosen = [...guarded.values()].flatMap((alike) =>
    alike.map((route, at): [AnyRoute, TestClient[]] => {
      const share = isFull ? 1 : Math.min(SHARE, alike.length);
      const asked = clients.filter((_, index) => index % share === at % share);
      const verdicts = new Set(asked.map((client) => expected(route, client)));
      const left = Map.groupBy(clients, (client) => expected(route, client));
      return [
        route,
        [...asked, ...[...left].flatMap(([verdict, [one]]) => (one && !verdicts.has(verdict) ? [one] : []))],
      ];
    }),
  );
  return new Map(chosen);
}

let world: TestClients;
beforeAll(async () => {
  world = await createClients();
});

describe('permissions', () => {
  it('every key and every session is allowed, forbidden or unauthorized on every operation as its roles say [ADMIN-MATRIX]', async () => {
    const wrong: string[] = [];
    const chosen = chooseClients(world.clients);
    const seen = { permissions: new Set<string>(), verdicts: new Set<string>() };
    let cells = 0;
    for (const client of world.clients) {
      const asked = routes.filter((route) => chosen.get(route)?.includes(client));
      const verdicts = await Promise.all(asked.map((route) => probe(world, route, client)));
      for (const [index, route] of asked.entries()) {
        cells++;
        const [found, wanted] = [verdicts[index], expected(route, client)];
        if (found !== wanted) wrong.push(`${client.name}: ${nameOf(route)} is ${found}, not ${wanted}`);
        seen.permissions.add(`${client.name} ${keySurfaceOf(route)} ${route.permission}`);
        seen.verdicts.add(`${nameOf(route)} ${wanted}`);
      }
    }
    expect(wrong).toEqual([]);
    if (isFull) expect(cells).toBe(routes.length * world.clients.length);
    const unseen = routes.flatMap((route) =>
      world.clients.flatMap((client) => [
        ...(seen.permissions.has(`${client.name} ${keySurfaceOf(route)} ${route.permission}`) ? [] : [client.name]),
        ...(seen.verdicts.has(`${nameOf(route)} ${expected(route, client)}`) ? [] : [nameOf(route)]),
      ]),
    );
    expect(unseen).toEqual([]);
    expect(world.clients.length).toBeGreaterThan(30);
    expect(routes.length).toBeGreaterThan(100);
  }, 120_000);

  it('the clients cover each permission: one has it and one does not', () => {
    const standard = world.clients.filter(({ surface }) => surface === 'standard');
    for (const permission of new Set(routes.map((route) => route.permission))) {
      if (['public', 'admin', ...OF_SESSIONS].includes(permission)) continue;
      expect([permission, standard.some(({ permissions }) => permissions.has(permission))]).toEqual([permission, true]);
      expect([permission, standard.some(({ permissions }) => !permissions.has(permission))]).toEqual([
        permission,
        true,
      ]);
    }
  });
});

const OF_SESSIONS = [CONSOLE_ACCOUNT, CONSOLE_OWNER, CONSOLE_USE, CONSOLE_JOIN, CONSOLE_ADMINISTER];

/** Creates an object that a path parameter names; by the name of the parameter. */
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

describe('an object of another tenant', () => {
  const own = new Map<string, string>();
  const strangers: TestClient[] = [];
  beforeAll(async () => {
    const { server } = world;
    const { tenants } = server.platform;
    const caller = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
    const input = { name: 'Other', description: '', icon: '', adminId: server.ownerId, addsEverybody: false };
    const otherWorkspace = await tenants.workspaces.create(caller, input);
    const key = { workspaceId: otherWorkspace.id, userId: server.ownerId, name: null, expiresAt: null };
    const everything = new Set(routes.map(({ permission }) => permission));
    strangers.push(
      {
        name: 'another workspace',
        key: (await tenants.keys.createStandard(caller, key)).value,
        surface: 'standard',
        permissions: everything,
      },
      {
        name: 'another organization',
        key: (await addOrganization(server, 'Far')).key,
        surface: 'standard',
        permissions: everything,
      },
    );
    await tenants.invitations.invite(caller, {
      emails: 'i@matrix.test',
      roles: ['member'],
      workspaceIds: [],
      language: null,
      baseUrl: '',
    });
    const far = await addOrganization(server, 'Farther');
    strangers.push({
      name: "another organization's admin",
      key: far.adminKey,
      surface: 'admin',
      permissions: everything,
    });
    const first = { offset: 0, limit: 1 };
    const { groups } = await tenants.groups.list(server.organizationId, first);
    const objects = {
      user_id: server.ownerId,
      workspace_uuid: otherWorkspace.id,
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
      const created = (await response.json()) as Record<string, unknown>;
      expect([path, response.status, created]).toEqual([
        path,
        200,
        expect.objectContaining({ id: expect.any(String) }),
      ]);
      return created;
    }
  });

  const adminParameters = ['user_id', 'workspace_uuid', 'group_uuid', 'key_id', 'invite_uuid'];
  const about = routes.filter(({ path, permission, surface }) => {
    const [, parameter = ''] = path.match(/:([a-z_]+)/i) ?? [];
    const isKnown = surface === 'admin' ? adminParameters.includes(parameter) : makers[parameter] !== undefined;
    return permission !== 'public' && isKnown;
  });

  async function fetchRoute(route: AnyRoute, id: string, key: string): Promise<[number, string]> {
    let isFirst = true;
    const path = route.path.replaceAll(/:[a-z_]+/gi, () => {
      const part = isFirst ? id : '1';
      isFirst = false;
      return part;
    });
    const { status, text } = await send(world.server.url, path, route, key);
    return [status, text.replaceAll(id, 'ID')];
  }

  it('is the same as a missing one for every operation, from another workspace and from another organization', async () => {
    expect(about.length).toBeGreaterThan(20);
    for (const route of about) {
      const id = own.get((route.path.match(/:([a-z_]+)/i) ?? [])[1] ?? '') ?? '';
      expect([nameOf(route), id]).toEqual([nameOf(route), expect.stringMatching(/^\S+$/)]);
      for (const { name, key, surface } of strangers) {
        if (surface !== (route.surface ?? 'standard')) continue;
        const [theirs, missing] = [await fetchRoute(route, id, key), await fetchRoute(route, MISSING, key)];
        expect([name, nameOf(route), ...theirs]).toEqual([name, nameOf(route), ...missing]);
        expect([nameOf(route), theirs[0]]).toEqual([nameOf(route), expect.toBeOneOf([404, 422])]);
      }
    }
  });

  it('still exists for its owner afterwards', async () => {
    const readable = about.filter(({ method, path }) => method === 'GET' && /^[^:]*:[a-z_]+$/i.test(path));
    expect(readable.length).toBeGreaterThan(5);
    for (const route of readable) {
      const id = own.get((route.path.match(/:([a-z_]+)/i) ?? [])[1] ?? '') ?? '';
      const key = route.surface === 'admin' ? world.server.adminKey : world.server.key;
      expect([nameOf(route), ...(await fetchRoute(route, id, key))]).toEqual([nameOf(route), 200, expect.any(String)]);
    }
  });
});
