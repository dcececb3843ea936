import type { ColumnType } from 'kysely';
import type { Db } from '../kit/db/index.ts';
import type { Viewer } from '../registry/index.ts';
import type { IntakePolicy } from './schema/skills.ts';

/** As the scan that stored it called it: rules may be renamed later. */
export type StoredFinding = { rule: string; file: string; line: number };

declare module '../kit/db/tables.ts' {
  interface Tables {
    skill_files: { skill_id: string; sha256: string; content: Buffer };
    skill_findings: {
      skill_id: string;
      version: number;
      workspace_id: string;
      findings: ColumnType<StoredFinding[], string, never>;
      found_at: string;
      reviewed_at: string | null;
      reviewed_by: string | null;
    };
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

export type NewFindings = { skill_id: string; version: number; workspace_id: string; found_at: string };

export async function insertFindings(db: Db, row: NewFindings & { findings: readonly StoredFinding[] }): Promise<void> {
  await db
    .insertInto('skill_findings')
    .values({ ...row, findings: JSON.stringify(row.findings), reviewed_at: null, reviewed_by: null })
    .execute();
}

/** Of skills that the viewer may see, newest first. */
export function listOpenFindings(db: Db, viewer: Viewer, limit: number) {
  return db
    .selectFrom('skill_findings as f')
    .innerJoin('versioned_objects as o', 'o.id', 'f.skill_id')
    .select(['f.skill_id', 'o.name', 'f.version', 'f.findings', 'f.found_at'])
    .where('f.workspace_id', '=', viewer.workspace_id)
    .where('f.reviewed_at', 'is', null)
    .where('o.audience', 'in', ['', viewer.user_id])
    .orderBy('f.found_at', 'desc')
    .limit(limit)
    .execute();
}

/** False if there is nothing to review. */
export async function updateReviewed(
  db: Db,
  { workspace_id, user_id }: Viewer,
  skillId: string,
  version: number,
  reviewedAt: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('skill_findings')
    .set({ reviewed_at: reviewedAt, reviewed_by: user_id })
    .where('workspace_id', '=', workspace_id)
    .where('skill_id', '=', skillId)
    .where('version', '=', version)
    .where('reviewed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
