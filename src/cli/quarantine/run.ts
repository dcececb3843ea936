import { CommandFailure } from '../../operator/command-failure.ts';
import { openQuarantine } from '../../operator/quarantine.ts';
import { OPERATOR } from '../../tenants/index.ts';
import type { Context } from '../shell/command.ts';
import { formatTable } from '../shell/format-table.ts';
import { withPlatform } from '../shell/with-platform.ts';

export async function listQuarantine(context: Context): Promise<undefined> {
  const items = await withPlatform(context, (platform) => openQuarantine(platform).list());
  const rows = items.map(({ id, queue, about, deaths, quarantined_at }) => [
    ...[id, queue, String(deaths), quarantined_at],
    Object.entries(about)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
  ]);
  const text =
    items.length === 0 ? 'Nothing is set aside.' : formatTable(['ID', 'QUEUE', 'DEATHS', 'SINCE', 'ABOUT'], rows);
  context.output.result({ items }, text);
}

export async function retryQuarantined(context: Context): Promise<undefined> {
  const id = context.args.parameter('id');
  const item = await withPlatform(context, (platform) => openQuarantine(platform).retry(id, OPERATOR));
  if (!item) throw nothingWith(id);
  if (item.instead !== null)
    throw new CommandFailure(`It ended when it was set aside, so a retry would do nothing. ${item.instead}`);
  context.output.result(
    { item },
    `${item.queue}: it runs once more. If what works on it dies again, it is set aside again.`,
  );
}

export async function dismissQuarantined(context: Context): Promise<undefined> {
  const id = context.args.parameter('id');
  const item = await withPlatform(context, (platform) => openQuarantine(platform).dismiss(id, OPERATOR));
  if (!item) throw nothingWith(id);
  if (item.instead === null)
    throw new CommandFailure('It has not ended. Retry it, or let its owner cancel or delete what it belongs to.');
  context.output.result({ item }, `${item.queue}: it is off the list.`);
}

const nothingWith = (id: string) =>
  new CommandFailure(`Nothing with the id '${id}' is set aside. List what is: tramontane quarantine list`);
