import { createHmac, timingSafeEqual } from 'node:crypto';

/** The console page that opens invitations and one-time links. */
export const LINK_PATH = '/console/link/';

export type InvitationLinks = {
  /** The page that the invited person opens. */
  pathOf(invitation: { id: string; expires_at: string }): string;
  /** The content of a token that we signed. The caller checks whether the invitation is still valid. */
  parse(token: string): { id: string; expires_at: string } | undefined;
};

/** Links are not stored: they hold the invitation's id and expiry, signed. A renewed invitation has another link. */
export function createInvitationLinks(secret: string): InvitationLinks {
  const sign = (text: string) => createHmac('sha256', secret).update(`invitation:${text}`).digest();
  return {
    pathOf({ id, expires_at }) {
      const text = Buffer.from(JSON.stringify([id, expires_at])).toString('base64url');
      return `${LINK_PATH}${text}.${sign(text).toString('base64url')}`;
    },
    parse(token) {
      const [text = '', mac = ''] = token.split('.');
      const given = Buffer.from(mac, 'base64url');
      const expected = sign(text);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const [id, expires_at] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, string];
      return { id, expires_at };
    },
  };
}

/** Tokens of invitations are signed and have two parts, those of one-time links have one. */
export function isInvitationToken(token: string): boolean {
  return token.includes('.');
}
