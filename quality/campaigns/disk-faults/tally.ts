/** Descriptions of faults, by the promise that was broken. */
export type Tally = Record<(typeof promises)[number], string[]>;

const promises = ['unread', 'untyped', 'silent', 'notBack', 'lost', 'half', 'ended', 'leftOver'] as const;

export function newTally(): Tally {
  return Object.fromEntries(promises.map((promise) => [promise, [] as string[]])) as Tally;
}
