import type { Clock } from '../kit/base/clock.ts';
import type { Session } from './open-session.ts';

/** Sessions that wait for the next call of the same consumer, so that it needs no handshake. */
export type KeptSessions = {
  /** One that nobody uses; whoever takes it gives it back, or closes it. */
  take(key: string): Session | undefined;
  /** Keeps a session whose last call went well, or closes it. */
  give(key: string, session: Session): Promise<void>;
  /** Closes one whose key has this start, and this word in it if there is such a one; false if there is none. */
  makeRoom(start: string, word: string): Promise<boolean>;
  close(): Promise<void>;
};

type Kept = { key: string; session: Session; idleAt: number };

const IDLE_MS = 60_000;
/** A stream of the older transport has a limit of its own, which a session must not reach within a call. */
const AGE_MAX_MS = 10 * 60_000;
const USES_MAX = 200;
const PER_KEY_MAX = 4;
const ALL_MAX = 128;

/** At most `ALL_MAX` sessions are kept, the least recently used go first. */
export function createKeptSessions(now: Clock, idleMs = IDLE_MS): KeptSessions {
  /** In the order of their last use. */
  const kept = new Set<Kept>();
  const facts = new WeakMap<Session, { since: number; uses: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function drop(one: Kept): Promise<void> {
    kept.delete(one);
    await one.session.close().catch(() => undefined);
  }

  const isOver = ({ session, idleAt }: Kept) => now() - idleAt >= idleMs || !session.isUsable();

  function sweep(): void {
    timer = undefined;
    for (const one of kept) if (isOver(one)) void drop(one);
    watch();
  }

  function watch(): void {
    if (kept.size > 0) timer ??= setTimeout(sweep, idleMs).unref();
  }

  function isWorn(session: Session): boolean {
    const fact = facts.get(session) ?? { since: now(), uses: 0 };
    fact.uses += 1;
    facts.set(session, fact);
    return !session.isUsable() || fact.uses >= USES_MAX || now() - fact.since >= AGE_MAX_MS;
  }

  return {
    take(key) {
      for (const one of [...kept].reverse()) {
        if (one.key !== key) continue;
        if (isOver(one)) {
          void drop(one);
          continue;
        }
        kept.delete(one);
        return one.session;
      }
      return undefined;
    },
    async give(key, session) {
      const same = [...kept].filter((one) => one.key === key).length;
      if (isClosed || same >= PER_KEY_MAX || isWorn(session)) return session.close();
      session.renew();
      kept.add({ key, session, idleAt: now() });
      const [oldest] = kept;
      watch();
      if (kept.size > ALL_MAX && oldest) await drop(oldest);
    },
    async makeRoom(start, word) {
      const found = [...kept].filter(({ key }) => key.startsWith(`${start} `));
      const one = found.find(({ key }) => key.includes(` ${word} `)) ?? found[0];
      if (one) await drop(one);
      return one !== undefined;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all([...kept].map(drop));
    },
  };
}
