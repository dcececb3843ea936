import { inspectConnectors, listConnectors } from '../../operator/inspect-connectors.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { formatTable } from '../shell/format-table.ts';
import { readConfig } from '../shell/read-config.ts';

const NONE = 'No connectors are configured. See docs/connectors.md.';

export async function list(context: Context): Promise<undefined> {
  if (context.args.flag('stored')) return (await import('./stored.ts')).listStored(context);
  const connectors = listConnectors(readConfig(context));
  const rows = connectors.map(({ id, url, headers, workspaces, description }) => [
    id,
    url,
    headers.join(', ') || '-',
    workspaces?.join(', ') ?? 'all',
    description ?? '',
  ]);
  const header = ['ID', 'URL', 'HEADERS', 'WORKSPACES', 'DESCRIPTION'];
  context.output.result({ connectors }, formatTable(header, rows, NONE));
}

export async function test(context: Context): Promise<ExitCode> {
  if (context.args.flag('stored')) return (await import('./stored.ts')).testStored(context);
  const { args, output } = context;
  const inspected = await inspectConnectors(readConfig(context), args.text('id'));
  const lines = inspected.flatMap((found) => {
    if (found.error !== null) return [`${output.styled('red', 'fail')}  ${found.id}: ${found.error}`];
    const { server, protocolVersion, tools } = found;
    const name = server ? `${server.name} ${server.version}` : 'unnamed server';
    const head = `${output.styled('green', 'ok')}    ${found.id}: ${name}, protocol ${protocolVersion}, ${tools.length} tools`;
    return [head, ...tools.map(({ name, description }) => `        ${name}  ${firstLine(description)}`)];
  });
  output.result({ connectors: inspected }, lines.join('\n') || NONE);
  return inspected.every(({ error }) => error === null) ? 0 : 1;
}

function firstLine(text: string): string {
  return text.split('\n', 1).join().slice(0, 80);
}
