import { z } from 'zod';

const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/;

const Group = z.strictObject({
  /** A value of the group claim. */
  claim: z.string().min(1).max(512),
  /** A user group of the organization, by id or name. */
  group: z.string().min(1).max(255),
});

/** A provider of OpenID Connect with whose accounts people sign in to the console. */
const Provider = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,64}$/, 'An id has 1 to 64 small letters, digits and -'),
  /** On the button of the sign-in page. */
  name: z.string().min(1).max(100),
  issuer: z
    .url({ protocol: /^https?$/ })
    .refine((url) => url.startsWith('https:') || LOOPBACK.test(url), 'An issuer has an https address'),
  client_id: z.string().min(1).max(1024),
  /** Left out for a public client, which PKCE alone protects. */
  client_secret: z.string().min(1).max(4096).optional(),
  scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)).default(['openid', 'email', 'profile']),
  /** Mail domains for which the provider is trusted: their accounts are joined or created at the first sign-in. */
  domains: z.array(z.string().min(1).max(255)).default([]),
  /** Its addresses in `domains` count where it does not say that it checked them. */
  trusts_email: z.boolean().default(false),
  /** Whose members new accounts become, by id or name. */
  organization: z.string().min(1).optional(),
  groups_claim: z.string().min(1).max(255).default('groups'),
  groups: z.array(Group).max(1000).default([]),
  /** How old the provider's word about a session may be when the session is used. */
  recheck_seconds: z.number().min(0.5).max(3600).default(1),
});

export const SignInConfig = z
  .strictObject({
    providers: z
      .array(Provider)
      .max(20)
      .default([])
      .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'Two providers have the same id'),
  })
  .prefault({});
