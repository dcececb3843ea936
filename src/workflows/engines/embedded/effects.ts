/**
 * What a command brings about beyond its own event, once all commands of the turn have theirs. `isEnding` says that
 * the run ends with this turn, and is told nothing more.
 */
export type Effect = (isEnding: boolean) => Promise<void> | void;
