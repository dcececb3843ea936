import { open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type AuditHead, AuditLogEventType } from '../../audit/index.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { CommandFailure, explainFile } from '../../operator/command-failure.ts';
import { OPERATOR } from '../../tenants/index.ts';
import { type Context, type ExitCode, UsageError } from '../shell/command.ts';
import { formatCount, formatTable, formatTime } from '../shell/format-table.ts';
import { parseChoices, parseCount } from '../shell/parse-values.ts';
import { findOrganizationId, inOrganization, withPlatform } from '../shell/with-platform.ts';

const DAYS: Record<string, number> = { d: 1, w: 7, y: 365 };
const DAY_MS = 24 * 60 * 60 * 1000;
const Noted = z.object({
  heads: z.array(z.object({ organization_id: z.string(), log_id: z.int(), hash: z.string() })),
});

export async function verifyAudit(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const file = args.text('noted');
  const noted = file === undefined ? [] : await readNoted(file);
  const found = await withPlatform(context, async (platform) =>
    platform.audit.verify({
      organizationId: await findOrganizationId(context, platform),
      noted,
      onProgress: ({ entries }) => output.progress(`${entries} entries checked`),
    }),
  );
  if (!found.ok) {
    const { organization_id, log_id, problem } = found;
    const verdict = output.styled('red', 'broken');
    output.result(found, `${verdict}: entry ${log_id} of organization ${organization_id} (${problem})`);
    return 1;
  }
  const heads = found.heads.map(({ organization_id, log_id, hash }) => `${organization_id}  ${log_id}  ${hash}`);
  const organizations = formatCount(found.organizations, 'organization');
  const verdict = `${output.styled('green', 'intact')}: ${formatEntries(found.entries)} of ${organizations}`;
  output.result(
    found,
    [verdict, '', 'Organization, last entry and head hash; store them elsewhere:', ...heads].join('\n'),
  );
  return 0;
}

async function readNoted(file: string): Promise<AuditHead[]> {
  try {
    return Noted.parse(JSON.parse(await readFile(file, 'utf8'))).heads;
  } catch (cause) {
    throw new CommandFailure(`${file} is not the output of: tramontane audit verify --json`, { cause });
  }
}

export async function listAudit(context: Context): Promise<undefined> {
  const { args, output } = context;
  const events = args.text('events');
  const filters = {
    limit: parseCount('--limit', args.text('limit') ?? '20', 1000),
    event_type: events === undefined ? undefined : parseChoices('event type', events, AuditLogEventType.options),
    actor_user_uuid: args.text('user'),
    after: parseTime('--after', args.text('after')),
    before: parseTime('--before', args.text('before')),
  };
  const entries = await inOrganization(context, ({ audit, database }, by) =>
    audit.list(database.db, by.organization_id, filters),
  );
  const rows = entries.map((entry) => [
    String(entry.log_id),
    formatTime(entry.created_at),
    entry.event_type,
    pickFirst(entry.actor_metadata, ['email', 'user_uuid', 'name', 'admin_api_key_id']),
    pickFirst(entry.target_metadata, ['name', 'email', 'operation', 'id']),
  ]);
  output.result({ entries }, formatTable(['ENTRY', 'TIME', 'EVENT', 'ACTOR', 'TARGET'], rows));
}

export async function exportAudit(context: Context): Promise<undefined> {
  const file = context.args.parameter('file');
  const entries = await inOrganization(context, async ({ audit }, by) => {
    const target = await open(file, 'wx', 0o600).catch((error: unknown) => {
      throw explainFile(error, 'Writing the export');
    });
    let written = 0;
    try {
      for await (const entry of audit.export(by.organization_id)) {
        await target.write(`${JSON.stringify(entry)}\n`);
        if (++written % 1000 === 0) context.output.progress(`${written} entries written`);
      }
      await target.sync();
    } finally {
      await target.close();
    }
    return written;
  });
  context.output.result({ file, entries }, `Exported ${formatEntries(entries)} to ${file}.`);
}

export async function pruneAudit(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const [, count, unit = ''] = /^([1-9]\d{0,4})([dwy])$/.exec(args.text('older-than') ?? '') ?? [];
  if (count === undefined)
    throw new UsageError('Give the minimum age: tramontane audit prune --older-than 365d (or 52w, 1y).');
  const before = new Date(systemClock() - Number(count) * (DAYS[unit] ?? 1) * DAY_MS).toISOString();
  const { pruned, broken } = await withPlatform(context, async (platform) => {
    const organizationId = await findOrganizationId(context, platform);
    return platform.audit.prune({ before, actor: OPERATOR, organizationId });
  });
  output.result({ before, pruned, broken }, `Pruned ${formatEntries(pruned)} older than ${formatTime(before)} UTC.`);
  for (const { organization_id, log_id, problem } of broken)
    output.note(`broken: entry ${log_id} of organization ${organization_id} (${problem}); its log was not pruned`);
  return broken.length > 0 ? 1 : 0;
}

function parseTime(name: string, text: string | undefined): string | undefined {
  if (text !== undefined && Number.isNaN(Date.parse(text)))
    throw new UsageError(`${name} must be a time such as 2027-01-31 or 2027-01-31T12:00:00Z, not '${text}'.`);
  return text;
}

function pickFirst(metadata: Record<string, string>, names: string[]): string {
  return names.map((name) => metadata[name]).find(Boolean) ?? '-';
}

function formatEntries(count: number): string {
  return formatCount(count, 'entry', 'entries');
}
