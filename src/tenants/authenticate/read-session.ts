import type { Db } from '../../kit/db/index.ts';
import { scopesOfSession } from '../scopes-of-session.ts';
import { findSessionWithUser } from '../store/sessions.ts';
import { choosePlace } from './choose-workspace.ts';

/** Whose session this is and what they may do in the workspace they named; whether it has ended is for the caller. */
export async function readSession(db: Db, tokenHash: string, wanted: string) {
  const session = await findSessionWithUser(db, tokenHash);
  const place = session && (await choosePlace(db, session.user_id, wanted));
  return place && { session, scopes: scopesOfSession(session, place) };
}
