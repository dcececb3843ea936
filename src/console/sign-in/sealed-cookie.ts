import type { IncomingHttpHeaders } from 'node:http';
import type { SecretBox } from '../../kit/secrets/index.ts';
import { readCookie } from '../../tenants/index.ts';

/** A cookie that the browser can neither read nor change, for pages below the path. */
export type SealedCookie<T> = {
  set(box: SecretBox, content: T, nowMs: number, isSecure: boolean): string;
  clear(isSecure: boolean): string;
  /** Undefined where it is missing, not ours, or too old. */
  read(box: SecretBox, headers: IncomingHttpHeaders, nowMs: number): T | undefined;
};

export function createSealedCookie<T extends object>(
  name: string,
  path: string,
  lifetimeSeconds: number,
): SealedCookie<T> {
  /** Lax: the browser comes from the provider's site. */
  const format = (value: string, maxAgeSeconds: number, isSecure: boolean) =>
    `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`;
  return {
    set(box, content, nowMs, isSecure) {
      const text = JSON.stringify({ ...content, expiresAtMs: nowMs + lifetimeSeconds * 1000 });
      return format(box.seal(text, name), lifetimeSeconds, isSecure);
    },
    clear: (isSecure) => format('', 0, isSecure),
    read(box, headers, nowMs) {
      const sealed = readCookie(headers, name);
      const text = sealed ? box.open(sealed, name) : undefined;
      const found = text === undefined ? undefined : (JSON.parse(text) as T & { expiresAtMs: number });
      return found && found.expiresAtMs > nowMs ? found : undefined;
    },
  };
}
