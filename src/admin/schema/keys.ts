import { z } from 'zod';
import { queryInt } from '../../kit/http/index.ts';
import { Id } from './page.ts';

export const KeysQuery = z.strictObject({
  limit: queryInt().min(1).max(1000).default(100),
  offset: queryInt().min(0).max(1_000_000_000).default(0),
  name: z.string().max(255).nullish(),
});
export type KeysQuery = z.infer<typeof KeysQuery>;
export const KeyParams = z.strictObject({ key_id: Id });

export const AdminCreateAPIKeyIN = z
  .strictObject({
    name: z.string().max(255).nullish(),
    expiration: z.iso.date().nullish(),
    workspace_uuid: Id,
    user_id: Id,
  })
  .meta({ id: 'AdminCreateAPIKeyIN' });
export type AdminCreateAPIKeyIN = z.infer<typeof AdminCreateAPIKeyIN>;

const ActionAvailable = z
  .object({ status: z.literal('available').default('available') })
  .meta({ id: 'ActionAvailable' });
const unavailable = { status: z.literal('unavailable').default('unavailable') };
const RotateReason = z
  .enum(['unsupported_scope', 'key_expired', 'not_allowed'])
  .meta({ id: 'RotateUnavailableReason' });
const DeleteReason = z.enum(['not_allowed']).meta({ id: 'DeleteUnavailableReason' });
const RotateUnavailable = z
  .object({ ...unavailable, reason: RotateReason.nullish() })
  .meta({ id: 'ActionUnavailable_RotateUnavailableReason_' });
const DeleteUnavailable = z
  .object({ ...unavailable, reason: DeleteReason.nullish() })
  .meta({ id: 'ActionUnavailable_DeleteUnavailableReason_' });
const APIKeyActions = z
  .object({
    rotate: z.union([ActionAvailable, RotateUnavailable]).nullish(),
    delete: z.union([ActionAvailable, DeleteUnavailable]).nullish(),
  })
  .meta({ id: 'APIKeyActions' });

const key = {
  key_id: z.guid(),
  /** Only in the response that creates the key. */
  key: z.string().nullable(),
  name: z.string().nullable(),
  hidden_key: z.string(),
  created_at: z.iso.datetime().nullable(),
  expiration_date: z.iso.date().nullable(),
  actions: APIKeyActions,
};
export const APIKeyOUT = z.object(key).meta({ id: 'APIKeyOUT' });
export type APIKeyOUT = z.infer<typeof APIKeyOUT>;

const APIKeyExtendedOUT = z
  .object({
    ...key,
    workspace_id: z.guid().nullable(),
    workspace_name: z.string().nullable(),
    created_by: z.string().nullable(),
    product: z.enum(['API', 'Mistral Code', 'Vibe']).meta({ id: 'APIKeyProduct' }).nullable(),
    last_used: z.iso.date().nullable(),
    can_delete: z.boolean().nullable(),
  })
  .meta({ id: 'APIKeyExtendedOUT' });
export const APIKeysExtendedOUT = z.object({ keys: z.array(APIKeyExtendedOUT) }).meta({ id: 'APIKeysExtendedOUT' });
export type APIKeysExtendedOUT = z.infer<typeof APIKeysExtendedOUT>;
export const DeleteAPIKeyOUT = z.object({ detail: z.string() }).meta({ id: 'DeleteAPIKeyOUT' });
