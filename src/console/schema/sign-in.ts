import { z } from 'zod';

const ADDRESS_CHARACTERS_MAX = 2048;
const TOKEN_CHARACTERS_MAX = 16_384;

export const ProviderParams = z.strictObject({ provider: z.string().max(64) });

export const ConsoleProviders = z.object({
  providers: z.array(z.object({ id: z.string(), name: z.string() })),
  /** Whether a sign-in with a provider can be joined to an account by a mailed link. */
  joins_by_mail: z.boolean(),
});
export type ConsoleProviders = z.infer<typeof ConsoleProviders>;

/** A page of the console, never another site. */
const Page = z
  .string()
  .max(ADDRESS_CHARACTERS_MAX)
  .regex(/^\/(?![/\\])[^\\\s]*$/);
export const ProviderStart = z.strictObject({
  to: Page.default('/'),
  /** The token of an invitation, which the sign-in accepts. */
  invitation: z.string().max(1024).optional(),
});
export type ProviderStart = z.infer<typeof ProviderStart>;
export const ProviderAddress = z.object({ url: z.string() });

/** Parameters of a provider's answer; the library checks them. */
export const CallbackQuery = z.record(z.string().max(64), z.string().max(TOKEN_CHARACTERS_MAX));

export const SignedOut = z.object({ sign_out_url: z.string().nullable() });
