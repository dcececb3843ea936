import type * as Library from '@modelcontextprotocol/client';

let loaded: typeof Library | undefined;

/** The protocol's client: large, and most servers have no connectors, so the first session loads it. */
export async function loadClientLibrary(): Promise<typeof Library> {
  loaded ??= await import('@modelcontextprotocol/client');
  return loaded;
}

/** Undefined before the first session, when none of its errors can exist. */
export function clientLibrary(): typeof Library | undefined {
  return loaded;
}
