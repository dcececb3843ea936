import type { Db } from '../kit/db/index.ts';
import type { IntakePolicy } from './schema/skills.ts';

declare module '../kit/db/tables.ts' {
  interface Tables {
    skill_files: { skill_id: string; sha256: string; content: Buffer };
    skill_intake: { workspace_id: string; policy: IntakePolicy; updated_at: string };
  }
}

/** Limits the memory of one statement: a file has up to 1 MiB. */
const ROWS_PER_INSERT = 8;

/** Skips contents that an earlier version has stored. */
export async function insertFiles(db: Db, skillId: string, contents: ReadonlyMap<string, Buffer>): Promise<void> {
  const rows = [...contents].map(([sha256, content]) => ({ skill_id: skillId, sha256, content }));
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    await db
      .insertInto('skill_files')
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .onConflict((conflict) => conflict.columns(['skill_id', 'sha256']).doNothing())
      .execute();
  }
}

/** Contents by digest. Call it only for a skill that the caller may read. */
export async function listFiles(db: Db, skillId: string, digests: readonly string[]): Promise<Map<string, Buffer>> {
  if (digests.length === 0) return new Map();
  const rows = await db
    .selectFrom('skill_files')
    .select(['sha256', 'content'])
    .where('skill_id', '=', skillId)
    .where('sha256', 'in', digests)
    .execute();
  return new Map(rows.map(({ sha256, content }) => [sha256, content]));
}

export async function findIntakePolicy(db: Db, workspaceId: string): Promise<IntakePolicy | undefined> {
  const row = await db
    .selectFrom('skill_intake')
    .select('policy')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row?.policy;
}

export async function updateIntakePolicy(
  db: Db,
  row: { workspace_id: string; policy: IntakePolicy; updated_at: string },
): Promise<void> {
  await db
    .insertInto('skill_intake')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet({ policy: row.policy, updated_at: row.updated_at }),
    )
    .execute();
}
