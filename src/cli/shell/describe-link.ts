import type { Config } from '../../config/config.ts';
import { trimSlashes } from './api-client.ts';
import type { Context } from './command.ts';

/** The base URL of links: --url, the public URL, or the address of a local server. */
export function baseUrlOf({ args }: Context, { publicUrl, host, port }: Config): string {
  return trimSlashes(args.text('url') ?? publicUrl ?? `http://${host}:${port}`);
}

/** What to do for an address that has an account elsewhere. */
export function describePendingLink(email: string, link: string): string[] {
  return [
    `An account with the address ${email} exists. It joins when its owner signs in to it and opens this link:`,
    link,
    'To let it join at once, add it with: npx tramontane users add --existing-account',
  ];
}
