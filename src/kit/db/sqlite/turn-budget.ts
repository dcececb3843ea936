import { ownTurn } from '../../base/own-turn.ts';

/** Then other requests are served. */
const TURN_MS = 10;

/**
 * SQLite answers at once, so a chain of queries never leaves the current turn of the event loop by itself. Call the
 * result before each query or transaction: it waits for another turn when this one has been used for long enough.
 */
export function createTurnBudget(turnMs = TURN_MS): () => void | Promise<void> {
  let startedAt: number | undefined;
  const reset = () => {
    startedAt = undefined;
  };
  return () => {
    if (startedAt === undefined) {
      startedAt = performance.now();
      setImmediate(reset);
    } else if (performance.now() - startedAt > turnMs) return ownTurn();
  };
}
