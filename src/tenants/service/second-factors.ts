import { isoMicros } from '../../kit/base/clock.ts';
import type { Tx } from '../../kit/db/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import type { Caller } from '../caller.ts';
import { tenantErrors } from '../errors.ts';
import { hashRecoveryCode, makeRecoveryCodes } from '../sign-in/recovery-codes.ts';
import { factorPlace } from '../sign-in/secret-places.ts';
import { findStep, makeTotpSecret, totpAddress } from '../sign-in/totp.ts';
import { listOrganizationsOfUser } from '../store/organizations.ts';
import {
  countRecoveryCodes,
  deleteRecoveryCode,
  deleteSecondFactor,
  findSecondFactor,
  insertSecondFactor,
  replaceRecoveryCodes,
  updateConfirmedAt,
  updateLastStep,
} from '../store/second-factors.ts';
import type { UserRow } from '../store/tables.ts';
import type { TenantPorts } from './ports.ts';
import type { SessionService } from './sessions.ts';
import type { Throttle } from './throttle.ts';

type Person = Pick<UserRow, 'id' | 'email'>;

export type SecondFactorService = {
  /** How the account is protected; undefined without a confirmed second factor. */
  find(userId: string): Promise<{ confirmed_at: string; recovery_codes: number } | undefined>;
  /** Accepts a code of the app or a recovery code, each once. Throws 429 after too many of them. */
  check(user: Person, code: string, device: string | undefined): Promise<boolean>;
  /** A new secret, which counts once its first code was typed. */
  begin(user: Person): Promise<{ secret: string; address: string }>;
  /** The first code: returns the recovery codes, which are shown this once. */
  confirm(user: Person, code: string, keptSession: string): Promise<string[]>;
  renewRecoveryCodes(user: Person): Promise<string[]>;
  remove(user: Person): Promise<void>;
  /** The operator's way out for somebody who lost the device and the recovery codes. */
  reset(caller: Caller, user: Person): Promise<boolean>;
};

export function createSecondFactorService(
  deps: TenantPorts & { sessions: SessionService; throttle: Throttle; box: SecretBox },
): SecondFactorService {
  const { database, audit, keysSignal, now, sessions, throttle, box } = deps;

  /** The step of a right code that was not used before. */
  async function stepOf(tx: Tx, userId: string, code: string): Promise<number | undefined> {
    const factor = await findSecondFactor(tx, userId);
    const secret = factor && box.open(factor.sealed, factorPlace(userId));
    if (factor && secret === undefined) throw tenantErrors.second_factor_unreadable();
    const step = secret && findStep(secret, code.replaceAll(/\s/g, ''), now(), factor.last_step);
    return step && (await updateLastStep(tx, userId, step)) ? step : undefined;
  }

  async function renew(tx: Tx, userId: string): Promise<string[]> {
    const codes = makeRecoveryCodes();
    await replaceRecoveryCodes(
      tx,
      userId,
      codes.map((code) => hashRecoveryCode(userId, code)),
    );
    return codes;
  }

  const record = (tx: Tx, user: Person, change: string) =>
    sessions.record(tx, user, { event_type: 'user.second_factor.update', event_metadata: { change } });

  return {
    async find(userId) {
      const factor = await findSecondFactor(database.db, userId);
      if (!factor?.confirmed_at) return undefined;
      return { confirmed_at: factor.confirmed_at, recovery_codes: await countRecoveryCodes(database.db, userId) };
    },
    async check(user, code, device) {
      const isRecovery = !/^[\d\s]*$/.test(code);
      // Nobody guesses 80 bits, so a stranger with the password cannot use up the owner's recovery codes by trying.
      if (!isRecovery) await throttle.takeCode(user.id, device);
      return database.transaction(async (tx) => {
        if (isRecovery) {
          if (!(await deleteRecoveryCode(tx, user.id, hashRecoveryCode(user.id, code)))) return false;
          await record(tx, user, 'recovery code used');
          return true;
        }
        if ((await stepOf(tx, user.id, code)) === undefined) return false;
        await throttle.giveCodeBack(tx, user.id, device);
        return true;
      });
    },
    begin: (user) =>
      database.transaction(async (tx) => {
        const secret = makeTotpSecret();
        const sealed = box.seal(secret, factorPlace(user.id));
        const row = { user_id: user.id, sealed, last_step: 0, created_at: isoMicros(now), confirmed_at: null };
        if (!(await insertSecondFactor(tx, row))) throw tenantErrors.second_factor_present();
        return { secret, address: totpAddress(secret, user.email) };
      }),
    async confirm(user, code, keptSession) {
      await throttle.takeCode(user.id, keptSession);
      return database.transaction(async (tx) => {
        const factor = await findSecondFactor(tx, user.id);
        if (!factor) throw tenantErrors.second_factor_missing();
        if (factor.confirmed_at !== null) throw tenantErrors.second_factor_present();
        if ((await stepOf(tx, user.id, code)) === undefined) throw tenantErrors.second_factor_wrong();
        await throttle.giveCodeBack(tx, user.id, keptSession);
        await updateConfirmedAt(tx, user.id, isoMicros(now));
        await sessions.endOthers(tx, user.id, keptSession);
        const codes = await renew(tx, user.id);
        await record(tx, user, 'set up');
        return codes;
      });
    },
    renewRecoveryCodes: (user) =>
      database.transaction(async (tx) => {
        const codes = await renew(tx, user.id);
        await record(tx, user, 'new recovery codes');
        return codes;
      }),
    remove: (user) =>
      database.transaction(async (tx) => {
        if (!(await deleteSecondFactor(tx, user.id))) throw tenantErrors.second_factor_missing();
        keysSignal.raise(tx);
        await record(tx, user, 'removed');
      }),
    reset: (caller, user) =>
      database.transaction(async (tx) => {
        if (!(await deleteSecondFactor(tx, user.id))) return false;
        await sessions.endOfUser(tx, user.id);
        for (const { id } of await listOrganizationsOfUser(tx, user.id))
          await audit.record(tx, {
            organization_id: id,
            actor: caller.actor,
            event_type: 'user.second_factor.update',
            event_metadata: { change: 'reset' },
            target_type: 'USER',
            target_metadata: { id: user.id, email: user.email },
          });
        return true;
      }),
  };
}
