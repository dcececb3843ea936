import { systemClock } from '../../kit/base/clock.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { formatTable, formatTime } from '../shell/format-table.ts';
import { isDay } from '../shell/parse-values.ts';
import { findOrganizationId, withPlatform } from '../shell/with-platform.ts';

const UNITS_MS: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

export async function createKey(context: Context): Promise<undefined> {
  const { args, output } = context;
  const expires = args.text('expires');
  const expiresAt = expires === undefined ? undefined : parseExpiry(expires, systemClock());
  const kind = args.flag('admin') ? 'admin' : 'standard';
  const key = await withPlatform(context, ({ tenants }) =>
    tenants.keys.create({
      kind,
      expiresAt,
      name: args.text('name'),
      organization: args.text('organization'),
      workspace: args.text('workspace'),
      user: args.text('user'),
    }),
  );
  const { organization, workspace, user } = key;
  const data = {
    id: key.id,
    api_key: key.value,
    kind,
    organization_id: organization.id,
    workspace_id: workspace?.id ?? null,
    user: user?.email ?? null,
    expires_at: expiresAt ?? null,
  };
  const opens = workspace
    ? `the workspace ${workspace.name} of ${organization.name} as ${user?.email}`
    : `the administrative API of ${organization.name}`;
  const lines = [
    output.styled('bold', key.value),
    '',
    `Save it now: it is not shown again. It opens ${opens}${expiresAt ? ` until ${formatTime(expiresAt)} UTC` : ''}.`,
    `Revoke it with: npx tramontane keys revoke ${key.id}`,
  ];
  output.result(data, lines.join('\n'));
  if (kind === 'admin' && organization.plan !== 'enterprise') {
    output.note(
      `note: the administrative API requires the enterprise plan, but ${organization.name} is on ${organization.plan}: npx tramontane orgs set-plan ${organization.id} enterprise`,
    );
  }
}

export async function listKeys(context: Context): Promise<undefined> {
  const keys = await withPlatform(context, async (platform) =>
    platform.tenants.keys.list(await findOrganizationId(context, platform)),
  );
  const data = keys.map(({ hint, email, revoked_at, ...key }) => ({
    ...key,
    ends_with: hint,
    user: email,
    revoked_at,
  }));
  const severalOrganizations = new Set(keys.map(({ organization_id }) => organization_id)).size > 1;
  const ifSeveral = (cell: string) => (severalOrganizations ? [cell] : []);
  const table = formatTable(
    [
      'ID',
      'KIND',
      'NAME',
      'ENDS WITH',
      ...ifSeveral('ORGANIZATION'),
      'WORKSPACE',
      'USER',
      'CREATED',
      'EXPIRES',
      'LAST USED',
      'STATE',
    ],
    keys.map((key) => [
      key.id,
      key.kind,
      key.name ?? '-',
      `…${key.hint}`,
      ...ifSeveral(key.organization_name),
      key.workspace_name ?? '-',
      key.email ?? '-',
      formatTime(key.created_at),
      formatTime(key.expires_at),
      formatTime(key.last_used_at),
      key.state,
    ]),
  );
  context.output.result({ keys: data }, table);
}

export async function revokeKey(context: Context): Promise<undefined> {
  const id = context.args.parameter('id');
  const key = await withPlatform(context, ({ tenants }) => tenants.keys.revoke(id));
  if (!key) throw new CommandFailure(`There is no key '${id}'. List them with: npx tramontane keys list`);
  context.output.result(
    { id, revoked_at: key.revoked_at },
    `Revoked the key …${key.hint}; running servers reject it within a second.`,
  );
}

/** A day counts to its end in UTC, a duration from now. */
export function parseExpiry(text: string, nowMs: number): string {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(nowMs + Number(count) * (UNITS_MS[unit] ?? 0)).toISOString();
  if (isDay(text)) return `${text}T23:59:59.999Z`;
  throw new UsageError(`--expires must be a day such as 2027-01-31 or a duration such as 30d or 12h, not '${text}'.`);
}
