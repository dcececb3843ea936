import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBackup } from '../../../src/operator/backup/create-backup.ts';
import { sessionCookie } from '../../../src/tenants/index.ts';
import { findPrograms } from '../../../test/support/postgres.ts';
import { type Answer, ask } from '../serve/ask.ts';
import { readRows } from '../serve/read-rows.ts';
import { type Canary, findIn } from './canaries.ts';
import type { Stage } from './stage.ts';

const DUMP_BYTES_MAX = 2 ** 28;
/** What requests are remembered by; on PostgreSQL each day has a table. */
const TRACED = /^(spans|span_.*|spans_.*|logs)$/;
const CONTENTS = 'span_contents';

export type Leaks = Record<
  'logs' | 'metrics' | 'traces' | 'audit' | 'database' | 'spans' | 'forgotten' | 'backup' | 'answers' | 'others',
  string[]
>;

/** Where each canary was seen and must not be. */
export async function findLeaks(
  stage: Stage,
  directory: string,
  canaries: readonly Canary[],
  answers: readonly Answer[],
): Promise<Leaks> {
  const { server, logs } = stage;
  const of = (...kinds: Canary['kind'][]) => canaries.filter(({ kind }) => kinds.includes(kind));
  const everything = of('key', 'config', 'content', 'kept');
  const name = (found: readonly Canary[], where: string) => found.map((one) => `${one.name}: ${where}`);

  const rows = await readRows(server.platform.database);
  const audit = rows.filter(({ table }) => table.startsWith('audit'));
  const metrics = await ask(server.url, { method: 'GET', path: '/metrics' });
  const leaks: Leaks = {
    logs: logs.flatMap((line) => name(findIn(line, everything), line.slice(0, 600))),
    metrics: name(findIn(metrics.text, everything), '/metrics'),
    traces: name(findIn(stage.traces(), everything), 'OTLP'),
    audit: audit.flatMap(({ text }) => name(findIn(text, everything), text.slice(0, 400))),
    // User content is stored where storing it is the service.
    database: rows.flatMap(({ table, text }) =>
      name(findIn(text, of('key', 'config')), `${table} ${text.slice(0, 300)}`),
    ),
    spans: [
      ...rows
        .filter(({ table }) => TRACED.test(table))
        .flatMap(({ table, text }) => name(findIn(text, of('content')), `${table} ${text.slice(0, 300)}`)),
      ...rows
        .filter(({ table }) => table !== CONTENTS)
        .flatMap(({ table, text }) => name(findIn(text, of('kept')), `${table} ${text.slice(0, 300)}`)),
      ...of('kept')
        .filter((one) => !rows.some(({ table, text }) => table === CONTENTS && findIn(text, [one]).length > 0))
        .map((one) => `${one.name}: was not kept`),
    ],
    forgotten: [],
    backup: [],
    answers: answers.flatMap(({ status, headers, text }) =>
      name(findIn(`${JSON.stringify(headers)} ${text}`, of('config')), `${status} ${text.slice(0, 300)}`),
    ),
    others: await shownToOthers(stage, everything),
  };
  const target = join(directory, 'backup');
  await createBackup(server.config, target, { environment: process.env, onProgress: () => undefined });
  for (const file of filesIn(target)) leaks.backup.push(...name(findIn(readBackup(file), of('key', 'config')), file));
  await ask(server.url, {
    method: 'DELETE',
    path: '/v1/observability/contents',
    headers: { authorization: `Bearer ${server.key}` },
  });
  const left = await readRows(server.platform.database);
  leaks.forgotten = left.flatMap(({ table, text }) => name(findIn(text, of('kept')), table));
  return leaks;
}

/** The list of recent errors is visible to everyone with access to the workspace. */
async function shownToOthers({ server }: Stage, canaries: readonly Canary[]): Promise<string[]> {
  const { tenants, database } = server.platform;
  const [organization] = await tenants.listOrganizations();
  const by = { organization_id: organization?.id ?? '', actor: { type: 'OTHER', metadata: {} } } as const;
  const [workspace] = await tenants.listWorkspaces(by.organization_id);
  const { ids } = await tenants.members.create(by, [
    { email: 'other@trust.test', first_name: 'O', last_name: 'O', roles: ['member'] },
  ]);
  const id = ids.get('other@trust.test') ?? '';
  await tenants.workspaces.addMembers(by, workspace?.id ?? '', [{ user_id: id, roles: ['workspace_admin'] }], 'keep');
  const client = { address: '127.0.0.1', userAgent: 'trust' };
  const { token } = await database.transaction((tx) => tenants.sessions.open(tx, { id, email: '' }, client));
  const cookie = sessionCookie(token, { isSecure: false, maxAgeSeconds: 60 }).split(';')[0] ?? '';
  const { status, text } = await ask(server.url, {
    method: 'GET',
    path: '/console/api/errors?limit=200',
    headers: { cookie },
  });
  if (status !== 200) throw new Error(`The list of errors was answered ${status}: ${text}`);
  return findIn(text, canaries).map((one) => `${one.name}: in the list of errors`);
}

/** A PostgreSQL dump is compressed and has to be unpacked to be searched. */
function readBackup(file: string): string {
  if (!file.endsWith('.dump')) return readFileSync(file, 'latin1');
  const program = join(findPrograms() ?? '', 'pg_restore');
  return execFileSync(program, ['--file=-', file], { encoding: 'latin1', maxBuffer: DUMP_BYTES_MAX });
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('blobs'))
    .map((entry) => join(entry.parentPath, entry.name));
}
