import { channel } from 'node:diagnostics_channel';

/** Each statement before it is sent, as `{ sql }`: benchmarks and tests count what a request costs. Free without a subscriber. */
export const statementChannel = channel('tramontane.statement');

export function noteStatement(sql: string): void {
  if (statementChannel.hasSubscribers) statementChannel.publish({ sql });
}
