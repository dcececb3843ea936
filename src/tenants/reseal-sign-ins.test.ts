import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { createAuditService } from '../audit/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createSignal, type Database } from '../kit/db/index.ts';
import { createFixedKeyring, createSecretBox } from '../kit/secrets/index.ts';
import { createTenantService, resealSignIns, type TenantService } from './index.ts';
import { stepAt, totpAt } from './sign-in/totp.ts';

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const boxOf = (...bytes: number[]) => createSecretBox(createFixedKeyring(bytes.map(keyOf)));

onEachDatabase('a new key for secrets', (test) => {
  let database: Database;
  const open = (...bytes: number[]): TenantService => {
    const audit = createAuditService({ database, now: systemClock });
    const keysSignal = createSignal(database, 'keys', systemClock);
    return createTenantService({ box: boxOf(...bytes), database, audit, keysSignal, now: systemClock });
  };
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());

  it('encrypts second factors and tokens of providers again, so that the old one can go', async () => {
    const before = open(1);
    await before.createOrganization({ name: 'O', plan: 'enterprise', ownerEmail: 'o@example.test' });
    const user = await before.sessions.findAccount('o@example.test');
    const person = { id: user?.id ?? '', email: 'o@example.test' };
    const { secret } = await before.secondFactors.begin(person);
    const tokens = { access_token: 'a', refresh_token: 'r' };
    const signIn = { provider: 'corp', subject: 's', sid: undefined, tokens, recheckMs: 1000 };
    const client = { address: '127.0.0.1', userAgent: '' };
    const session = await before.providerSessions.open(person, signIn, client);

    expect(await resealSignIns(database, boxOf(3))).toEqual({ resealed: 0, unreadable: 2 });
    expect(await resealSignIns(database, boxOf(2, 1))).toEqual({ resealed: 2, unreadable: 0 });
    expect(await resealSignIns(database, boxOf(2))).toEqual({ resealed: 0, unreadable: 0 });
    const after = open(2);
    expect(await after.providerSessions.find(session.id)).toEqual({ provider: 'corp', tokens });
    const codes = await after.secondFactors.confirm(person, totpAt(secret, stepAt(Date.now())), session.id);
    expect(codes).toHaveLength(10);
  });
});
