import type { Database } from '../kit/db/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import { factorPlace, sessionPlace } from './sign-in/secret-places.ts';
import { listSealedSessions, resealSession } from './store/provider-sessions.ts';
import { listSealedFactors, resealFactor } from './store/second-factors.ts';

/** Encrypts second factors and tokens of providers with the newest key. What no key opens stays as it is. */
export async function resealSignIns(
  database: Database,
  box: SecretBox,
): Promise<{ resealed: number; unreadable: number }> {
  const counts = { resealed: 0, unreadable: 0 };
  const reseal = (sealed: string, place: string): string | undefined => {
    if (box.isCurrent(sealed)) return undefined;
    const text = box.open(sealed, place);
    if (text === undefined) counts.unreadable += 1;
    else counts.resealed += 1;
    return text === undefined ? undefined : box.seal(text, place);
  };
  for (const { user_id, sealed: before } of await listSealedFactors(database.db)) {
    const sealed = reseal(before, factorPlace(user_id));
    if (sealed !== undefined) await database.transaction((tx) => resealFactor(tx, user_id, before, sealed));
  }
  for (const { id, provider_tokens: before } of await listSealedSessions(database.db)) {
    const sealed = before ? reseal(before, sessionPlace(id)) : undefined;
    if (before && sealed !== undefined) await database.transaction((tx) => resealSession(tx, id, before, sealed));
  }
  return counts;
}
