import { z } from 'zod';
import { NewPassword } from '../../tenants/index.ts';
import { Code, GivenPassword, PersonName } from './session.ts';

export const SessionParams = z.strictObject({ session_id: z.guid() });

export const ConsoleSessions = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      address: z.string(),
      user_agent: z.string(),
      created_at: z.string(),
      last_seen_at: z.string(),
      expires_at: z.string(),
      provider: z.string().nullable(),
      is_current: z.boolean(),
    }),
  ),
});

export const ConsoleAccount = z.object({
  has_password: z.boolean(),
  second_factor: z.object({ confirmed_at: z.string(), recovery_codes: z.int() }).nullable(),
  identities: z.array(z.object({ provider: z.string(), name: z.string(), created_at: z.string() })),
  /** Providers that the account can be joined to. */
  providers: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type ConsoleAccount = z.infer<typeof ConsoleAccount>;

export const ProfileChange = z.strictObject({ name: PersonName });
export type ProfileChange = z.infer<typeof ProfileChange>;

export const PasswordChange = z.strictObject({ password: GivenPassword, new_password: NewPassword });
export type PasswordChange = z.infer<typeof PasswordChange>;

/** What a signed-in user proves again before the second factor changes. */
export const OwnerProof = z.strictObject({ password: GivenPassword, code: Code.optional() });
export type OwnerProof = z.infer<typeof OwnerProof>;

export const CodeGiven = z.strictObject({ code: Code });

/** `address` is for the picture, `secret` for typing. */
export const NewSecondFactor = z.object({ secret: z.string(), address: z.string() });
/** Shown this once. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) });

export const SignInRules = z.strictObject({
  second_factor: z.boolean(),
  provider: z.string().min(1).max(64).nullable(),
});
export type SignInRules = z.infer<typeof SignInRules>;
export const ConsoleSignInRules = SignInRules.extend({
  providers: z.array(z.object({ id: z.string(), name: z.string() })),
});
