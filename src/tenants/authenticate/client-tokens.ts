import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../kit/base/clock.ts';
import { type Database, loadSecret } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { tenantErrors } from '../errors.ts';
import type { Permission } from '../permissions.ts';
import type { Authority } from './authority.ts';

const PREFIX = 'client-';
/** All that a token opens, as far as its maker may do it. */
const PERMISSIONS: readonly Permission[] = ['speech:write', 'transcriptions:write'];

type Content = { k: string | null; u: string; w: string; s?: string; m: string; e: number };

/** Short-lived tokens that a key or a session makes for a browser. Nothing is stored: they are signed. */
export type ClientTokens = {
  issue(scope: Scope, model: string, expiresAtSeconds: number): Promise<string>;
  isToken(value: string | undefined): value is string;
  /** What its maker may still do live; undefined when it is not genuine or too old. */
  scopeOf(token: string): Promise<Scope | undefined>;
};

export function createClientTokens(
  database: Database,
  authority: Pick<Authority, 'scopeOf'>,
  now: Clock,
): ClientTokens {
  let secret: Promise<string> | undefined;
  const sign = async (text: string) => {
    secret ??= loadSecret(database, 'client-tokens', now).catch((error: unknown) => {
      secret = undefined;
      throw error;
    });
    return createHmac('sha256', await secret)
      .update(text)
      .digest();
  };

  async function read(token: string): Promise<Content | undefined> {
    const [text = '', mac = '', ...rest] = token.slice(PREFIX.length).split('.');
    const given = Buffer.from(mac, 'base64url');
    const expected = await sign(text);
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const content = JSON.parse(Buffer.from(text, 'base64url').toString()) as Content;
    return content.e * 1000 > now() ? content : undefined;
  }

  return {
    async issue({ key_id, user_id, workspace_id, session_id }, model, expiresAtSeconds) {
      const holder = session_id === undefined ? { k: key_id } : { k: null, s: session_id };
      const content: Content = { ...holder, u: user_id, w: workspace_id, m: model, e: expiresAtSeconds };
      const text = Buffer.from(JSON.stringify(content)).toString('base64url');
      return `${PREFIX}${text}.${(await sign(text)).toString('base64url')}`;
    },
    isToken: (value): value is string => value?.startsWith(PREFIX) === true,
    async scopeOf(token) {
      const content = await read(token);
      if (!content) return undefined;
      const { k: key_id, u: user_id, w: workspace_id, s: session_id, m: client_model } = content;
      const scope = await authority.scopeOf({ key_id, user_id, workspace_id, session_id }, 'identity:read');
      const permissions = new Set(PERMISSIONS.filter((permission) => scope.permissions.has(permission)));
      return { ...scope, permissions, client_model };
    },
  };
}

/** A client token is for one model. */
export function checkClientModel({ client_model }: Scope, asked: string | undefined): void {
  if (client_model !== undefined && client_model !== asked) throw tenantErrors.client_token_model(client_model);
}
