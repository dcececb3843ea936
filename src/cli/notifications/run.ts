import { openApi } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';
import { formatTable } from '../shell/format-table.ts';

type Endpoint = {
  id: string;
  url: string;
  status: string;
  disabled_reason: string | null;
  event_types: string[] | null;
};
type Delivery = {
  id: string;
  event_type: string;
  status: string;
  attempts: number;
  error: string | null;
  created_at: string;
};

const PATH = '/v1/notifications/endpoints';
const pathOf = ({ args }: Context) => `${PATH}/${encodeURIComponent(args.parameter('id'))}`;

export async function list(context: Context): Promise<undefined> {
  const { data } = await openApi(context).get<{ data: Endpoint[] }>(PATH);
  const rows = data.map(({ id, url, status, disabled_reason, event_types }) => [
    id,
    url,
    status,
    event_types?.join(', ') ?? 'all',
    disabled_reason ?? '',
  ]);
  const none = 'There are no endpoints. Add one: npx tramontane notifications add <address>';
  context.output.result({ endpoints: data }, formatTable(['ID', 'ADDRESS', 'STATUS', 'EVENTS', 'REASON'], rows, none));
}

export async function add(context: Context): Promise<undefined> {
  const { args, output } = context;
  const events = args.text('events')?.split(',');
  const request = { url: args.parameter('address'), event_types: events?.map((kind) => kind.trim()) ?? null };
  const { data } = await openApi(context).send<Endpoint & { secret: string }>('POST', PATH, request);
  output.result(data, `Added ${data.url} (${data.id}).\nSecret, shown once: ${data.secret}`);
}

export async function test(context: Context): Promise<undefined> {
  const { data } = await openApi(context).send<Delivery>('POST', `${pathOf(context)}/test`, {});
  context.output.result(data, `The message ${data.id} is on its way: npx tramontane notifications deliveries <id>`);
}

export async function deliveries(context: Context): Promise<undefined> {
  const query = context.args.flag('failed') ? '&status=failed' : '';
  const path = `${pathOf(context)}/deliveries?page_size=100${query}`;
  const { data } = await openApi(context).get<{ data: Delivery[] }>(path);
  const rows = data.map(({ id, created_at, event_type, status, attempts, error }) => [
    id,
    created_at,
    event_type,
    status,
    String(attempts),
    error ?? '',
  ]);
  const header = ['ID', 'CREATED', 'EVENT', 'STATUS', 'ATTEMPTS', 'REASON'];
  context.output.result({ deliveries: data }, formatTable(header, rows, 'Nothing was sent yet.'));
}

export async function replay(context: Context): Promise<undefined> {
  const delivery = encodeURIComponent(context.args.parameter('delivery'));
  const { data } = await openApi(context).send<Delivery>(
    'POST',
    `${pathOf(context)}/deliveries/${delivery}/replay`,
    {},
  );
  context.output.result(data, `The message ${data.id} is on its way again.`);
}

export async function enable(context: Context): Promise<undefined> {
  const { data } = await openApi(context).send<Endpoint>('PATCH', pathOf(context), { status: 'enabled' });
  context.output.result(data, `Enabled ${data.url}.`);
}

export async function remove(context: Context): Promise<undefined> {
  const id = context.args.parameter('id');
  await openApi(context).fetch(pathOf(context), { method: 'DELETE' });
  context.output.result({ id }, `Deleted ${id}.`);
}
