/** What a command does beyond its event, after all commands of the turn. `isEnding`: the run ends with this turn. */
export type Effect = (isEnding: boolean) => Promise<void> | void;
