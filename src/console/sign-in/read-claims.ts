import type { ProviderClaims } from '../../tenants/index.ts';

const NAME_CHARACTERS_MAX = 255;
const GROUPS_MAX = 10_000;

/** The claims that count here; what a provider sends beyond them, or in another form, is left out. */
export function readClaims(claims: Record<string, unknown>, groupsClaim: string): ProviderClaims {
  const { sub, email, email_verified, given_name, family_name, name } = claims;
  const [first, ...rest] = (textOf(name) ?? '').split(/\s+/).filter(Boolean);
  return {
    subject: String(sub),
    email: textOf(email),
    isEmailRefused: email_verified === false || email_verified === 'false',
    firstName: textOf(given_name) ?? first ?? null,
    lastName: textOf(family_name) ?? (rest.join(' ') || null),
    groups: listOf(claims[groupsClaim]),
  };
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
