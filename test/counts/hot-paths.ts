export type Cost = {
  /** Allocated by JavaScript, by code that was not optimized. */
  kib: number;
  /** Reads and writes of the process: sockets, files, the database. */
  calls: number;
  /** Statements sent to the database. */
  statements: number;
};

type Kind = 'sqlite' | 'postgres';

/**
 * What one request on each hot path cost when its row was last changed. `npm test` fails when one costs a tenth more.
 *
 * Raising a row is a decision: the commit that does it says what the request now does that it did not do before. Whoever makes
 * a path cheaper lowers its row in the same commit, or the next mistake has room. `TRAMONTANE_PRINT_COSTS=1 npx vitest run
 * test/counts/costs.test.ts` prints the rows as they are now. A new version of Node may move the bytes of all of them.
 */
export const HOT_PATHS = {
  identity: {
    sqlite: { kib: 15.3, calls: 2.2, statements: 0 },
    postgres: { kib: 15.3, calls: 2.2, statements: 0 },
  },
  registryRead: {
    sqlite: { kib: 19.2, calls: 2.2, statements: 0 },
    postgres: { kib: 58.6, calls: 4.2, statements: 1 },
  },
  toolsList: {
    sqlite: { kib: 59.1, calls: 2.2, statements: 0 },
    postgres: { kib: 59.1, calls: 2.2, statements: 0 },
  },
  // With what it leaves in the ledger and as a span, which is written for all chats of a second together.
  chat: {
    sqlite: { kib: 51, calls: 5.4, statements: 0.32 },
    postgres: { kib: 56, calls: 4.8, statements: 0.32 },
  },
  streamedChunk: {
    sqlite: { kib: 7.7, calls: 2.1, statements: 0 },
    postgres: { kib: 7.7, calls: 2.1, statements: 0 },
  },
  embeddings: {
    sqlite: { kib: 84.8, calls: 4.2, statements: 0 },
    postgres: { kib: 84.8, calls: 4.2, statements: 0 },
  },
  conversationAppend: {
    sqlite: { kib: 190, calls: 69, statements: 16 },
    postgres: { kib: 448, calls: 38, statements: 17.3 },
  },
  execution: {
    sqlite: { kib: 350, calls: 58, statements: 15 },
    postgres: { kib: 545, calls: 32, statements: 13 },
  },
} satisfies Record<string, Record<Kind, Cost>>;

export const MARGIN = 1.1;
/** Of calls and statements: what a timer of the server may add to a whole series. */
const SLACK = 0.2;

/** What is beyond its row, in words. */
export function findCostly(cost: Cost, row: Cost): string[] {
  const max: Cost = {
    kib: row.kib * MARGIN,
    calls: row.calls * MARGIN + SLACK,
    statements: row.statements * MARGIN + SLACK,
  };
  return (Object.keys(max) as (keyof Cost)[])
    .filter((of) => cost[of] > max[of])
    .map((of) => `${round(cost[of])} ${of}, at most ${round(max[of])}`);
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** As they stand above. */
export function printRows(name: string, counted: { kind: Kind; cost: Cost }[]): string {
  const rows = counted.map(
    ({ kind, cost: { kib, calls, statements } }) =>
      `    ${kind}: { kib: ${round(kib)}, calls: ${round(calls)}, statements: ${round(statements)} },`,
  );
  return `  ${name}: {\n${rows.join('\n')}\n  },`;
}
