import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { AuditHead } from '../../audit/index.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context, ExitCode } from '../command.ts';
import { formatCount } from '../format-table.ts';
import { withPlatform } from '../with-platform.ts';

const Noted = z.object({
  heads: z.array(z.object({ organization_id: z.string(), log_id: z.int(), hash: z.string() })),
});

export async function verifyAudit(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const wanted = args.text('organization');
  const file = args.text('noted');
  const noted = file === undefined ? [] : await readNoted(file);
  const found = await withPlatform(context, async ({ audit, tenants }) =>
    audit.verify({
      organizationId: wanted === undefined ? undefined : (await tenants.chooseOrganization(wanted)).id,
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
  const verdict = `${output.styled('green', 'whole')}: ${found.entries} entries of ${organizations}`;
  output.result(
    found,
    [verdict, '', 'Organization, last entry and head hash; keep them elsewhere:', ...heads].join('\n'),
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
