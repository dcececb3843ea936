import { z } from 'zod';
import { NewPassword } from '../../tenants/index.ts';

const EMAIL_CHARACTERS_MAX = 320;
const PASSWORD_CHARACTERS_MAX = 1024;
const NAME_CHARACTERS_MAX = 255;
const CODE_CHARACTERS_MAX = 64;

export const PersonName = z.string().max(NAME_CHARACTERS_MAX).trim().min(1);

export const GivenPassword = z.string().min(1).max(PASSWORD_CHARACTERS_MAX);
/** Of an authenticator app, or a recovery code. */
export const Code = z.string().max(CODE_CHARACTERS_MAX).trim().min(1);

export const SignIn = z.strictObject({
  email: z.string().max(EMAIL_CHARACTERS_MAX).trim().min(1),
  password: GivenPassword,
  code: Code.optional(),
});
export type SignIn = z.infer<typeof SignIn>;

const Named = z.object({ id: z.string(), name: z.string() });

export const ConsoleSession = z.object({
  user: z.object({ id: z.string(), email: z.string(), name: z.string().nullable(), role: z.string() }),
  organization: Named.extend({ plan: z.string() }),
  workspaces: z.array(Named.extend({ organization_id: z.string(), role: z.string() })),
  workspace_id: z.string().nullable(),
  permissions: z.array(z.string()),
  csrf_token: z.string(),
  expires_at: z.string(),
  /** How the user signed in, and what the organization asks of a sign-in that this one does not have. */
  sign_in: z.object({
    provider: z.string().nullable(),
    has_second_factor: z.boolean(),
    refusal: z.string().nullable(),
  }),
});
export type ConsoleSession = z.infer<typeof ConsoleSession>;

export const LinkParams = z.strictObject({ token: z.string().max(1024) });

export const ConsoleLink = z.object({
  purpose: z.enum(['first_sign_in', 'invitation', 'password_reset', 'join_provider']),
  email: z.string(),
  name: z.string().nullable(),
  organization: Named.nullable(),
  /** The address has an account: accepting an invitation then takes its password, or a session of it. */
  has_account: z.boolean(),
  /** The one that is joined, or those with which an invitation without an account may be accepted. */
  providers: z.array(Named),
  expires_at: z.string(),
});
export type ConsoleLink = z.infer<typeof ConsoleLink>;

export const InvitationParams = z.strictObject({ invitation_id: z.guid() });

export const ConsoleInvitations = z.object({
  invitations: z.array(z.object({ id: z.string(), organization: Named })),
});
export type ConsoleInvitations = z.infer<typeof ConsoleInvitations>;

export const LinkUse = z.strictObject({
  password: NewPassword,
  /** Of an account with a second factor. */
  code: Code.optional(),
  name: PersonName.optional(),
});
export type LinkUse = z.infer<typeof LinkUse>;
