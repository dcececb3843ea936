import { z } from 'zod';

export const AccountParams = z.strictObject({ service_account_id: z.guid() });
export const AccountKeyParams = AccountParams.extend({ key_id: z.guid() });
