import { createHmac, timingSafeEqual } from 'node:crypto';
import { requestErrors } from './request-errors.ts';

const MAC_BYTES = 18;

/**
 * Opaque list cursors. A token is signed together with the query it belongs to (list, order, filter), so a changed token and
 * one from another list are both refused.
 */
export type PageTokens = {
  write(question: readonly string[], position: unknown): string;
  read(question: readonly string[], token: string): unknown;
};

/** `secret` must be the same in all processes and after a restart, or clients lose their place in a list. */
export function createPageTokens(secret: string): PageTokens {
  const sign = (question: readonly string[], position: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([question, position]))
      .digest()
      .subarray(0, MAC_BYTES);

  return {
    write(question, position) {
      const text = Buffer.from(JSON.stringify(position)).toString('base64url');
      return `${text}.${sign(question, text).toString('base64url')}`;
    },
    read(question, token) {
      const [text = '', mac = '', ...rest] = token.split('.');
      const given = Buffer.from(mac, 'base64url');
      const genuine =
        rest.length === 0 &&
        given.length === MAC_BYTES &&
        // One spelling only: base64 decoding ignores stray characters and spare bits.
        given.toString('base64url') === mac &&
        timingSafeEqual(given, sign(question, text));
      if (!genuine) {
        throw requestErrors.page_token_invalid();
      }
      return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
    },
  };
}
