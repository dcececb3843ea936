import type { ProviderClaims } from '../../tenants/index.ts';

const NAME_CHARACTERS_MAX = 255;
const EMAIL_CHARACTERS_MAX = 320;
const GROUPS_MAX = 10_000;

type Claims = Record<string, unknown>;

/** The claims that count here; what a provider sends beyond them, or in another form, is left out. */
export function readClaims(idToken: Claims, userInfo: Claims, groupsClaim: string): ProviderClaims {
  const claims: Claims = { ...idToken, ...userInfo };
  const { sub, email, given_name, family_name, name } = claims;
  const [first, ...rest] = (textOf(name) ?? '').split(/\s+/).filter(Boolean);
  return {
    subject: String(sub),
    email: typeof email === 'string' && email.length <= EMAIL_CHARACTERS_MAX ? email : undefined,
    isEmailVerified: readVerified([userInfo, idToken], email),
    firstName: textOf(given_name) ?? first ?? null,
    lastName: textOf(family_name) ?? (rest.join(' ') || null),
    groups: listOf(claims[groupsClaim]),
  };
}

/** What is said of one address does not count for another. Only a literal true is a yes. */
function readVerified(sources: readonly Claims[], email: unknown): boolean | undefined {
  const said = sources.filter((one) => one.email === email).map(({ email_verified }) => email_verified);
  if (said.includes(false) || said.includes('false')) return false;
  return said.includes(true) || undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.trim().slice(0, NAME_CHARACTERS_MAX).toWellFormed().replaceAll('\0', '');
}

/** Providers send a list, or one text for one group. */
function listOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value.slice(0, GROUPS_MAX) : [value];
  return all.filter((one) => typeof one === 'string');
}
