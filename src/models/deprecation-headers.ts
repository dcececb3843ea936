import type { Model } from './model.ts';

/** Headers that announce the retirement of a model to its clients. */
export function deprecationHeaders({ id, deprecation, replacement }: Model): Record<string, string> {
  if (deprecation === null) return {};
  const advice = replacement === null ? '' : ` Use ${replacement} instead.`;
  const text = `The model ${id} is deprecated and retires on ${deprecation}.${advice}`;
  // Headers are ASCII, and quotes would end the quoted text.
  return {
    sunset: new Date(deprecation).toUTCString(),
    warning: `299 - "${text.replaceAll(/[^\x20-\x7e]|["\\]/g, '?')}"`,
  };
}
