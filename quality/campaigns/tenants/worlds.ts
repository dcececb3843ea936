import { randomBytes } from 'node:crypto';
import { openPlatform, type Platform } from '../../../src/compose/open-platform.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { createSignal, type DatabaseOptions } from '../../../src/kit/db/index.ts';
import { registerFineTuned } from '../../../src/models/register-fine-tuned.ts';
import { csrfTokenOf, sessionCookie } from '../../../src/tenants/index.ts';
import { serveUpstream, type TrustUpstream } from '../serve/serve-upstream.ts';
import { startPlatform, type TrustPlatform } from '../serve/start-platform.ts';
import type { Kind } from './id-fields.ts';

/** A user in a workspace, with its credentials and objects. */
export type World = {
  name: string;
  organizationId: string;
  workspaceId: string;
  userId: string;
  key: string;
  /** The admin key of the organization; undefined where the organization is the owner's. */
  adminKey: string | undefined;
  /** The headers of a signed-in browser. */
  browser: Record<string, string>;
  /** The published workspace, connectors and models exist before the server starts. */
  ids: Partial<Record<Kind, string>>;
};

export type Worlds = {
  server: TrustPlatform;
  upstream: TrustUpstream;
  /** The owner of the objects that the others ask for. */
  owner: World;
  /** Of the same organization, in another workspace; the owner in another workspace; of another organization. */
  strangers: World[];
  /** In the owner's workspace, without access to the owner's private objects. */
  colleague: World;
  revoked: string;
  expired: string;
  close(): Promise<void>;
};

export const MODEL = 'small';
const OPERATOR = { type: 'OTHER', metadata: {} } as const;

export async function openWorlds(directory: string, database: DatabaseOptions | undefined): Promise<Worlds> {
  const config = loadConfig({ TRAMONTANE_DATA_DIR: `${directory}/data`, TRAMONTANE_OWNER_EMAIL: 'owner@owner.test' });
  const platform = await openPlatform({ ...config, ...(database && { database }) });
  const people = await settle(platform);
  await platform.close();
  const upstream = await serveUpstream();
  const all = [people.owner, people.colleague, ...people.strangers];
  const server = await startPlatform({
    directory,
    database,
    file: {
      published_workspace: people.owner.workspaceId,
      connectors: all.map(({ name, workspaceId }) => ({
        id: `connector-${name}`,
        url: `http://${upstream.place}/mcp`,
        workspaces: [workspaceId],
      })),
      models: [
        {
          id: MODEL,
          engine: 'upstream',
          url: upstream.url,
          upstream_model: 'scripted',
          capabilities: { completion_chat: true, function_calling: true, completion_fim: true, fine_tuning: true },
        },
        { id: 'reader', engine: 'tesseract' },
        {
          id: 'voice',
          engine: 'upstream',
          url: upstream.url,
          capabilities: { audio_speech: true },
          speech: { voices: ['a'], clones: true },
        },
      ],
    },
  });
  return {
    ...people,
    server,
    upstream,
    async close() {
      await server.stop();
      await upstream.close();
    },
  };
}

/** Creates organizations, workspaces and users before the server starts: its configuration names some of them. */
async function settle(platform: Platform) {
  const { tenants, database, keysSignal } = platform;
  await tenants.bootstrap({ ownerEmail: 'owner@owner.test' });
  const [home] = await tenants.listOrganizations();
  if (!home) throw new Error('There is no organization.');
  const away = await tenants.createOrganization({ name: 'Away', plan: 'enterprise', ownerEmail: 'owner@away.test' });
  const by = { organization_id: home.id, actor: OPERATOR };
  const people = [
    { email: 'neighbour@owner.test', first_name: 'N', last_name: 'N', roles: ['member'] as const },
    { email: 'colleague@owner.test', first_name: 'C', last_name: 'C', roles: ['member'] as const },
  ];
  const { ids } = await tenants.members.create(by, people);
  const idOf = (email: string) => ids.get(email) ?? '';
  const ownKey = await tenants.keys.create({ kind: 'standard', organization: home.id, user: 'owner@owner.test' });
  const awayKey = await tenants.keys.create({ kind: 'standard', organization: away.id, user: 'owner@away.test' });
  const ownerId = ownKey.user?.id ?? '';
  const homeId = ownKey.workspace?.id ?? '';
  const addWorkspace = (name: string, adminId: string) =>
    tenants.workspaces.create(by, { name, description: '', icon: '', adminId, addsEverybody: false });
  const nextDoor = await addWorkspace('Next door', idOf('neighbour@owner.test'));
  const second = await addWorkspace('Second home', ownerId);
  const place = (id: string, user_id: string) =>
    tenants.workspaces.addMembers(by, id, [{ user_id, roles: ['workspace_admin'] }], 'keep');
  await place(nextDoor.id, idOf('neighbour@owner.test'));
  await place(homeId, idOf('colleague@owner.test'));

  async function world(name: string, organizationId: string, workspaceId: string, userId: string): Promise<World> {
    const input = { workspaceId, userId, name: `of ${name}`, expiresAt: null };
    const { value: key } = await tenants.keys.createStandard(
      { organization_id: organizationId, actor: OPERATOR },
      input,
    );
    const isChief = name === 'owner' || name === 'stranger';
    const admin = isChief ? await tenants.keys.create({ kind: 'admin', organization: organizationId }) : undefined;
    const person = { id: userId, email: '' };
    const client = { address: '127.0.0.1', userAgent: 'trust' };
    const { token } = await database.transaction((tx) => tenants.sessions.open(tx, person, client));
    const signal = createSignal(database, 'models', Date.now);
    const tuned = { workspaceId, root: MODEL, file: null, adapter: null, name: `Tuned by ${name}` };
    const model = await registerFineTuned({ database, signal, now: Date.now }, tuned);
    const browser = {
      cookie: sessionCookie(token, { isSecure: false, maxAgeSeconds: 3600 }).split(';')[0] ?? '',
      'x-csrf-token': csrfTokenOf(token),
      'x-tramontane-workspace': workspaceId,
    };
    return {
      name,
      organizationId,
      workspaceId,
      userId,
      key,
      adminKey: admin?.value,
      browser,
      ids: {
        organization: organizationId,
        workspace: workspaceId,
        user: userId,
        model: model.id,
        connector: `connector-${name}`,
        ...(admin && { adminKey: admin.id }),
      },
    };
  }
  const owner = await world('owner', home.id, homeId, ownerId);
  const strangers = [
    await world('neighbour', home.id, nextDoor.id, idOf('neighbour@owner.test')),
    await world('twin', home.id, second.id, ownerId),
    await world('stranger', away.id, awayKey.workspace?.id ?? '', awayKey.user?.id ?? ''),
  ];
  const colleague = await world('colleague', home.id, homeId, idOf('colleague@owner.test'));

  const ended = { workspaceId: homeId, userId: ownerId, name: 'ended', expiresAt: '2999-01-01T00:00:00Z' };
  const revoked = await tenants.keys.createStandard(by, ended);
  await tenants.keys.revoke(revoked.id);
  const expired = await tenants.keys.createStandard(by, ended);
  await database.transaction(async (tx) => {
    await tx.updateTable('api_keys').set({ expires_at: '2020-01-01T00:00:00Z' }).where('id', '=', expired.id).execute();
    await keysSignal.raise(tx);
  });
  return { owner, strangers, colleague, revoked: revoked.value, expired: expired.value };
}

/** An unused id of the same shape and length. */
export function missingLike(id: string): string {
  const tail = 8;
  const shift = (character: string) => {
    if (/\d/.test(character)) return String((Number(character) + 5) % 10);
    if (/[a-f]/.test(character)) return 'bcdefa'['abcdef'.indexOf(character)] ?? character;
    if (/[g-y]/.test(character)) return String.fromCharCode(character.charCodeAt(0) + 1);
    return character === 'z' ? 'g' : character;
  };
  const made = id.slice(0, -tail) + [...id.slice(-tail)].map(shift).join('');
  return made === id ? `${randomBytes(tail).toString('hex').slice(0, id.length)}` : made;
}
