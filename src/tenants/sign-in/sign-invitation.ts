import { createHmac, timingSafeEqual } from 'node:crypto';
import { LINK_PATH } from '../link-path.ts';

export type InvitationLinks = {
  /** The page that whoever is invited opens. */
  pathOf(invitation: { id: string; expires_at: string }): string;
  /** What the token is for, if we signed it; whether it still holds is for the caller to see. */
  read(token: string): { id: string; expires_at: string } | undefined;
};

/** Nothing of a link is stored: it is the invitation's id and end, signed. A renewed invitation has another link. */
export function createInvitationLinks(secret: string): InvitationLinks {
  const sign = (text: string) => createHmac('sha256', secret).update(`invitation:${text}`).digest();
  return {
    pathOf({ id, expires_at }) {
      const text = Buffer.from(JSON.stringify([id, expires_at])).toString('base64url');
      return `${LINK_PATH}${text}.${sign(text).toString('base64url')}`;
    },
    read(token) {
      const [text = '', mac = ''] = token.split('.');
      const given = Buffer.from(mac, 'base64url');
      const wanted = sign(text);
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
      const [id, expires_at] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, string];
      return { id, expires_at };
    },
  };
}
