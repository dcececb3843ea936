import type { Db, Tx } from '../../kit/db/index.ts';
import type { Viewer, WebhookRow } from './tables.ts';

function visible(db: Db, { workspace_id, user_id }: Viewer) {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('workspace_id', '=', workspace_id)
    .where((eb) => eb.or([eb('owner_type', '=', 'workspace'), eb('creator_id', '=', user_id)]));
}

export function listWebhooks(db: Db, viewer: Viewer): Promise<WebhookRow[]> {
  return visible(db, viewer).orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
}

export function findWebhook(db: Db, viewer: Viewer, id: string): Promise<WebhookRow | undefined> {
  return visible(db, viewer).where('id', '=', id).executeTakeFirst();
}

/** For deliveries, which have nothing but the address. */
export function findWebhookByToken(db: Db, token: string): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().where('token', '=', token).executeTakeFirst();
}

export function findWebhookById(db: Db, id: string): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function countWebhooks(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertWebhook(tx: Tx, row: WebhookRow): Promise<void> {
  await tx
    .insertInto('webhooks')
    .values({ ...row, settings: JSON.stringify(row.settings) })
    .execute();
}

/** False when it has a secret already: only the first token counts. */
export async function receiveSecret(tx: Tx, id: string, sealed_secret: string, updated_at: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhooks')
    .set({ sealed_secret, updated_at })
    .where('id', '=', id)
    .where('sealed_secret', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function markVerified(tx: Tx, id: string, updated_at: string): Promise<void> {
  await tx.updateTable('webhooks').set({ url_verified: true, updated_at }).where('id', '=', id).execute();
}

export async function deleteWebhook(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.deleteFrom('webhooks').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

export type SealedWebhook = Pick<WebhookRow, 'id' | 'sealed_secret' | 'sealed_key'>;

export function listSealedWebhooks(db: Db): Promise<SealedWebhook[]> {
  return db.selectFrom('webhooks').select(['id', 'sealed_secret', 'sealed_key']).orderBy('id').execute();
}

export async function resealWebhook(tx: Tx, { id, ...sealed }: SealedWebhook): Promise<void> {
  await tx.updateTable('webhooks').set(sealed).where('id', '=', id).execute();
}

/** What belongs to a member alone, when they leave the organization. */
export async function deleteWebhooksOf(
  tx: Tx,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  for (const table of ['triggers', 'webhooks'] as const)
    await tx
      .deleteFrom(table)
      .where('organization_id', '=', organization_id)
      .where('creator_id', '=', user_id)
      .where('owner_type', '=', 'user')
      .execute();
}
