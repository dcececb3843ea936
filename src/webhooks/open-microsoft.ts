import {
  constants,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  type KeyObject,
  privateDecrypt,
  timingSafeEqual,
} from 'node:crypto';

/** In one delivery. */
const NOTIFICATIONS_MAX = 100;
const IV_BYTES = 16;

type Notification = Record<string, unknown> & { clientState?: unknown };

/** The notifications of a delivery; undefined where it has another shape, or too many. */
function notificationsOf(body: unknown): Notification[] | undefined {
  const value = (body as { value?: unknown } | null)?.value;
  if (!Array.isArray(value) || value.length === 0 || value.length > NOTIFICATIONS_MAX) return undefined;
  return value.every((one) => typeof one === 'object' && one !== null) ? (value as Notification[]) : undefined;
}

/** Microsoft does not sign: each notification repeats the secret that the subscription names. */
export function hasClientState(body: unknown, secret: string): boolean {
  const notifications = notificationsOf(body);
  return notifications?.every(({ clientState }) => isSame(clientState, secret)) ?? false;
}

function isSame(given: unknown, secret: string): boolean {
  if (typeof given !== 'string') return false;
  const [left, right] = [Buffer.from(given), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}

export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The delivery without the secret, and with what was encrypted in it as `content`. */
export function openNotifications(body: unknown, pem: string | undefined): unknown {
  const notifications = notificationsOf(body);
  const key = pem === undefined ? undefined : readPrivateKey(pem);
  return {
    ...(body as object),
    value: notifications?.map(({ clientState: _, ...one }) => ({
      ...one,
      ...(key && 'encryptedContent' in one && { content: decrypt(one.encryptedContent, key) }),
    })),
  };
}

/** Null where it was encrypted for another key, or changed. */
function decrypt(content: unknown, key: KeyObject): unknown {
  const { data, dataKey, dataSignature } = (content ?? {}) as Record<string, unknown>;
  if (typeof data !== 'string' || typeof dataKey !== 'string' || typeof dataSignature !== 'string') return null;
  try {
    const secret = privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING }, Buffer.from(dataKey, 'base64'));
    const encrypted = Buffer.from(data, 'base64');
    const expected = createHmac('sha256', secret).update(encrypted).digest();
    const given = Buffer.from(dataSignature, 'base64');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const decipher = createDecipheriv('aes-256-cbc', secret, secret.subarray(0, IV_BYTES));
    return JSON.parse(Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8'));
  } catch {
    return null;
  }
}
