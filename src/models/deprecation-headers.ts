import type { Model } from './model.ts';

/** What an answer of a retiring model carries, so that whoever uses it hears of it in time. */
export function deprecationHeaders({ id, deprecation, replacement }: Model): Record<string, string> {
  if (deprecation === null) return {};
  const advice = replacement === null ? '' : ` Use ${replacement} instead.`;
  const text = `The model ${id} is deprecated and retires on ${deprecation}.${advice}`;
  // A header holds ASCII only, and quotes would end its text.
  return {
    sunset: new Date(deprecation).toUTCString(),
    warning: `299 - "${text.replaceAll(/[^\x20-\x7e]|["\\]/g, '?')}"`,
  };
}
