const FIRST_MS = 1000;
const LONGEST_MS = 5 * 60 * 1000;

/**
 * 1 s, 2 s, 4 s … up to 5 minutes, of which a random part of up to half is taken off: tasks that failed
 * together should not come back together.
 */
export function retryDelayMs(attempt: number, random: () => number = Math.random): number {
  const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempt - 1));
  return Math.round(fullMs * (1 - random() / 2));
}
