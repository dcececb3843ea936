import type { Clock } from '../../kit/base/clock.ts';

export type BreakerSettings = { failuresMax: number; openMs: number };

export type Breaker = {
  /** Whether a request may go out. While half open only one may, and it decides. */
  admit(): boolean;
  succeeded(): void;
  failed(): void;
  /** The request ended without saying anything about the server: the client left. */
  released(): void;
  /** Milliseconds until a request may try again; 0 when one may now. */
  waitMs(): number;
};

/** Spares a server that fails again and again: opens after some failures in a row, then lets one probe through. */
export function createBreaker({ failuresMax, openMs }: BreakerSettings, now: Clock): Breaker {
  let failures = 0;
  let openUntil = 0;
  let isProbing = false;
  const isTripped = () => failures >= failuresMax;
  return {
    admit() {
      if (!isTripped()) return true;
      if (isProbing || now() < openUntil) return false;
      isProbing = true;
      return true;
    },
    succeeded() {
      failures = 0;
      isProbing = false;
    },
    failed() {
      failures += 1;
      isProbing = false;
      if (isTripped()) openUntil = now() + openMs;
    },
    released() {
      isProbing = false;
    },
    waitMs: () => (isTripped() ? Math.max(isProbing ? 1 : 0, openUntil - now()) : 0),
  };
}
