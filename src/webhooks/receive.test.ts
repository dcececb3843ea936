import { constants, createCipheriv, createHmac, generateKeyPairSync, publicEncrypt, randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { countCpuMs } from '../../test/support/cpu-time.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { listedModel, startTestServer, type TestServer } from '../../test/support/server.ts';
import type { Webhook, WebhookDelivery } from './schema/webhooks.ts';
import { deliver, deliverFromGithub, hmac } from './send-for-tests.ts';

const SECRET = 'the secret of the provider';
const seconds = () => Math.floor(Date.now() / 1000);

onSqliteFirst('deliveries of providers', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(database, { file: { models: [listedModel('small')] } });
  });
  async function create(body: object): Promise<Webhook> {
    const answer = await call(server, '/v1/webhooks', { body: { name: 'x', secret: SECRET, ...body } });
    expect(answer.status, answer.text).toBe(201);
    return answer.body as Webhook;
  }
  const lastOf = async ({ id }: Webhook) =>
    ((await call(server, `/v1/webhooks/${id}/deliveries`)).body as { data: WebhookDelivery[] }).data[0];

  it('Slack: the timestamp is signed, old ones are refused, and the challenge comes back', async () => {
    const webhook = await create({ provider: 'slack' });
    const send = (body: object, at = seconds(), signedAt = at) => {
      const raw = JSON.stringify(body);
      return deliver(server, webhook, raw, {
        'x-slack-request-timestamp': String(at),
        'x-slack-signature': `v0=${hmac(SECRET, `v0:${signedAt}:${raw}`)}`,
      });
    };
    expect(await send({ type: 'url_verification', challenge: 'abc' })).toMatchObject({
      status: 200,
      body: { challenge: 'abc' },
    });
    expect(await send({ type: 'event_callback', event_id: 'E1', event: { type: 'message' } })).toMatchObject({
      status: 200,
      body: { received: true },
    });
    expect(await lastOf(webhook)).toMatchObject({ event_type: 'message' });
    // Slack sends again with a new timestamp and the same id.
    const again = await send({ type: 'event_callback', event_id: 'E1', event: { type: 'message' } }, seconds() + 1);
    expect(again.body).toEqual({ received: true, duplicate: true });
    expect((await send({ a: 1 }, seconds() - 301)).status).toBe(401);
    expect((await send({ a: 1 }, seconds() + 302)).status).toBe(401);
    expect((await send({ a: 1 }, seconds(), seconds() - 400)).status).toBe(401);
    expect(await lastOf(webhook)).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('signature') });
  });

  it('in the way of Stripe: timestamp and signature share a header', async () => {
    const webhook = await create({
      provider: 'custom',
      signature_header_name: 'Stripe-Signature',
      signature_extractor_regex: 'v1=([^,]+)',
      timestamp_extractor_regex: 't=(\\d+)',
      signature_payload_pattern: '{timestamp}.{body}',
      validity_period_second: 300,
      success_status_code: 204,
    });
    const send = (at: number) => {
      const raw = JSON.stringify({ type: 'charge.succeeded', at });
      const signature = hmac(SECRET, `${at}.${raw}`);
      return deliver(server, webhook, raw, { 'stripe-signature': `t=${at},v1=${signature},v0=old` });
    };
    expect((await send(seconds())).status).toBe(204);
    expect(await lastOf(webhook)).toMatchObject({ event_type: 'charge.succeeded' });
    expect((await send(seconds() - 1000)).status).toBe(401);
  });

  it('in the way of Standard Webhooks: id, timestamp and a secret in base64', async () => {
    const key = randomBytes(24);
    const webhook = await create({
      provider: 'custom',
      secret: `whsec_${key.toString('base64')}`,
      signature_header_name: 'webhook-signature',
      signature_extractor_regex: 'v1,(\\S+)',
      timestamp_extractor_regex: 'headers.webhook-timestamp',
      signature_payload_pattern: '{headers.webhook-id}.{timestamp}.{body}',
      signature_encoding: 'base64',
      validity_period_second: 300,
    });
    const send = (id: string, signedId = id) => {
      const [raw, at] = [JSON.stringify({ type: 'x' }), seconds()];
      return deliver(server, webhook, raw, {
        'webhook-id': id,
        'webhook-timestamp': String(at),
        'webhook-signature': `v1,${hmac(key, `${signedId}.${at}.${raw}`, 'base64')}`,
      });
    };
    expect((await send('msg_1')).body).toEqual({ received: true });
    expect((await send('msg_1')).body).toEqual({ received: true, duplicate: true });
    expect((await send('msg_2', 'msg_1')).status).toBe(401);
  });

  it('Linear: the timestamp is in the body', async () => {
    const webhook = await create({ provider: 'linear' });
    const send = (webhookTimestamp: number) => {
      const raw = JSON.stringify({ type: 'Issue', webhookTimestamp });
      return deliver(server, webhook, raw, { 'linear-signature': hmac(SECRET, raw) });
    };
    expect((await send(Date.now())).status).toBe(200);
    expect((await send(Date.now() - 1_000_000)).status).toBe(401);
  });

  it('Notion: the first token becomes the secret, a later one does not', async () => {
    const webhook = await create({ provider: 'notion', secret: null });
    const path = `/v1/webhooks/${webhook.id}/signing-secret`;
    expect((await call(server, path)).status).toBe(409);
    expect((await deliver(server, webhook, '{"type":"page.created"}', {})).status).toBe(401);
    const token = 'secret_of_notion';
    expect((await deliver(server, webhook, JSON.stringify({ verification_token: token }), {})).status).toBe(200);
    expect((await call(server, path)).body).toEqual({ signing_secret: token });
    const other = JSON.stringify({ verification_token: 'of somebody else' });
    expect((await deliver(server, webhook, other, {})).status).toBe(401);
    expect((await call(server, path)).body).toEqual({ signing_secret: token });
    const raw = JSON.stringify({ id: 'n1', type: 'page.created' });
    const headers = { 'x-notion-signature': `sha256=${hmac(token, raw)}` };
    expect((await deliver(server, webhook, raw, headers)).status).toBe(200);
    expect(await lastOf(webhook)).toMatchObject({ event_type: 'page.created' });
  });

  it('Microsoft: the token comes back as text, the client state is checked, and encrypted content is opened', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const encryption_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const webhook = await create({ provider: 'microsoft', encryption_key });
    const validation = { url: `${webhook.url}?validationToken=hello%20you` };
    const asked = await deliver(server, validation, '', {});
    expect(asked).toMatchObject({ status: 200, text: 'hello you' });
    expect(asked.headers.get('content-type')).toContain('text/plain');
    const secret = randomBytes(32);
    const cipher = createCipheriv('aes-256-cbc', secret, secret.subarray(0, 16));
    const data = Buffer.concat([cipher.update(JSON.stringify({ subject: 'Lunch' })), cipher.final()]);
    const encryptedContent = {
      data: data.toString('base64'),
      dataKey: publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING }, secret).toString('base64'),
      dataSignature: createHmac('sha256', secret).update(data).digest('base64'),
    };
    await call(server, '/v1/agents', { body: { model: 'small', name: 'x' } });
    const send = (clientState: string) =>
      deliver(
        server,
        webhook,
        JSON.stringify({ value: [{ changeType: 'created', clientState, encryptedContent }] }),
        {},
      );
    expect((await send('guess')).status).toBe(401);
    expect((await send(SECRET)).status).toBe(202);
    expect(await lastOf(webhook)).toMatchObject({ event_type: 'created' });
  });

  it('forms are read, with JSON in the field payload', async () => {
    const webhook = await create({ provider: 'custom', event_type_path: 'body.kind' });
    const send = (raw: string) =>
      deliver(server, webhook, raw, {
        'content-type': 'application/x-www-form-urlencoded',
        'x-signature-256': `sha256=${hmac(SECRET, raw)}`,
      });
    expect((await send('kind=plain&b=2')).status).toBe(200);
    expect(await lastOf(webhook)).toMatchObject({ event_type: 'plain' });
    expect((await send(`payload=${encodeURIComponent('{"kind":"inner"}')}`)).status).toBe(200);
    expect(await lastOf(webhook)).toMatchObject({ event_type: 'inner' });
  });

  it('what is not signed, signed otherwise, no JSON or too large is refused', async () => {
    const webhook = await create({ provider: 'github' });
    const raw = '{"a":1}';
    const signed = (text: string, secret = SECRET) => ({ 'x-hub-signature-256': `sha256=${hmac(secret, text)}` });
    expect((await deliver(server, webhook, raw, {})).status).toBe(401);
    expect((await deliver(server, webhook, raw, signed(raw, 'another secret'))).status).toBe(401);
    expect((await deliver(server, webhook, raw, signed('{"a":2}'))).status).toBe(401);
    expect((await deliver(server, webhook, raw, { 'x-hub-signature-256': 'sha256=' })).status).toBe(401);
    expect((await deliver(server, webhook, raw, { 'x-hub-signature-256': 'zz' })).status).toBe(401);
    expect((await deliver(server, webhook, 'no json', signed('no json'))).status).toBe(422);
    const large = JSON.stringify({ a: 'x'.repeat(1_100_000) });
    expect((await deliver(server, webhook, large, signed(large))).status).toBe(413);
    expect((await lastOf(webhook))?.outcome).toBe('refused');
  });

  it('an expired webhook takes nothing', async () => {
    const webhook = await create({ provider: 'github', expires_at: '2020-01-01T00:00:00+01:00' });
    expect(webhook.expires_at).toBe('2019-12-31T23:00:00.000Z');
    expect((await deliverFromGithub(server, webhook, SECRET, { a: 1 })).status).toBe(410);
  });

  it('more deliveries than a webhook may get are refused before anything else, and others go on', async () => {
    const [flooded, quiet] = [await create({ provider: 'github' }), await create({ provider: 'github' })];
    const answers = await Promise.all(Array.from({ length: 90 }, () => deliver(server, flooded, '{}', {})));
    const late = answers.filter(({ status }) => status === 429);
    expect(late.length).toBeGreaterThan(10);
    expect(late[0]?.headers.get('retry-after')).toBe('10');
    expect(answers.every(({ status }) => status === 429 || status === 401)).toBe(true);
    expect((await deliverFromGithub(server, quiet, SECRET, { a: 1 })).status).toBe(200);
    const noted = await server.platform.database.db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook_id', '=', flooded.id)
      .execute();
    expect(noted.length).toBeLessThanOrEqual(7);
  });

  it('a pattern that would never end does', async () => {
    const webhook = await create({ provider: 'custom', signature_extractor_regex: '^((?:[a-z]+.)+)+[A-Z]$' });
    const spentMs = countCpuMs();
    const answer = await deliver(server, webhook, '{}', { 'x-signature-256': 'a'.repeat(1000) });
    expect(answer.status).toBe(401);
    expect(spentMs()).toBeLessThan(2000);
    expect(await lastOf(webhook)).toMatchObject({ detail: expect.stringContaining('no signature') });
  });
});
