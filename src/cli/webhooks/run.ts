import { openApi } from '../shell/api-client.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { formatTable } from '../shell/format-table.ts';

type Webhook = { id: string; name: string; provider: string; url: string; url_verified: boolean };
type Delivery = { event_type: string | null; outcome: string; detail: string | null; received_at: string };

const PATH = '/v1/webhooks';
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

export async function list(context: Context): Promise<undefined> {
  const webhooks = await openApi(context).get<Webhook[]>(PATH);
  const rows = webhooks.map(({ id, name, provider, url_verified, url }) => [
    id,
    name,
    provider,
    url_verified ? 'yes' : 'no',
    url,
  ]);
  const none = 'There are no webhooks. Add one: npx tramontane webhooks add <provider> <name>';
  context.output.result({ webhooks }, formatTable(['ID', 'NAME', 'PROVIDER', 'RECEIVING', 'ADDRESS'], rows, none));
}

export async function add(context: Context): Promise<undefined> {
  const { args, environment, output } = context;
  const api = openApi(context);
  const variable = args.text('secret');
  const secret = variable === undefined ? undefined : environment[variable];
  if (variable !== undefined && !secret) throw new UsageError(`The variable ${variable} is not set.`);
  const request = { provider: args.parameter('provider'), name: args.parameter('name'), ...(secret && { secret }) };
  const { data } = await api.send<Webhook>('POST', PATH, request);
  const isOurs = secret === undefined && data.provider !== 'notion';
  const made = isOurs ? await api.get<{ signing_secret: string }>(`${pathOf(data.id)}/signing-secret`) : undefined;
  const lines = [`Added ${data.name} (${data.id}).`, `Address: ${data.url}`];
  if (made) lines.push(`Secret:  ${made.signing_secret}`);
  output.result({ ...data, ...made }, lines.join('\n'));
}

export async function trigger(context: Context): Promise<undefined> {
  const { args, output } = context;
  const [workflow, agent] = [args.text('workflow'), args.text('agent')];
  if ((workflow === undefined) === (agent === undefined)) throw new UsageError('Name a --workflow or an --agent.');
  const { data } = await openApi(context).send<{ id: string }>('POST', '/v1/triggers', {
    event_source_id: args.parameter('id'),
    handler: workflow === undefined ? 'agents' : 'workflows',
    action: {
      type: workflow === undefined ? 'start_agent_session' : 'start_workflow',
      primitive_id: workflow ?? agent,
    },
    owner_type: 'workspace',
    title: args.parameter('title'),
    filters: args.text('filter') ?? null,
  });
  output.result(data, `Added the trigger ${data.id}.`);
}

export async function deliveries(context: Context): Promise<undefined> {
  const path = `${pathOf(context.args.parameter('id'))}/deliveries?limit=100`;
  const { data } = await openApi(context).get<{ data: Delivery[] }>(path);
  const rows = data.map(({ received_at, event_type, outcome, detail }) => [
    received_at,
    event_type ?? '',
    outcome,
    detail ?? '',
  ]);
  const none = 'Nothing was received yet.';
  context.output.result({ deliveries: data }, formatTable(['RECEIVED', 'EVENT', 'OUTCOME', 'REASON'], rows, none));
}

export async function remove(context: Context): Promise<undefined> {
  const id = context.args.parameter('id');
  await openApi(context).fetch(pathOf(id), { method: 'DELETE' });
  context.output.result({ id }, `Deleted ${id}.`);
}
