import { z } from 'zod';
import { NewPassword } from '../../tenants/index.ts';

export const InvitationParams = z.strictObject({ token: z.string().max(1024) });

export const InvitationOut = z
  .object({
    email: z.string(),
    organization: z.object({ id: z.guid(), name: z.string() }),
    expires_at: z.iso.datetime(),
    /** The address has a password already; accepting then requires it. */
    has_account: z.boolean(),
  })
  .meta({ id: 'InvitationOut' });
export type InvitationOut = z.infer<typeof InvitationOut>;

const Name = z.string().max(255).trim().min(1);
export const InvitationAcceptIn = z
  .strictObject({
    first_name: Name,
    last_name: Name,
    password: NewPassword,
  })
  .meta({ id: 'InvitationAcceptIn' });
export type InvitationAcceptIn = z.infer<typeof InvitationAcceptIn>;

export const InvitationAcceptedOut = z
  .object({ user_id: z.guid(), email: z.string(), organization_id: z.guid() })
  .meta({ id: 'InvitationAcceptedOut' });
