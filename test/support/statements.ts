import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { statementChannel } from '../../src/kit/db/index.ts';

/** Counts what is sent to any database of this process from here on. */
export function countStatements(): { stop(): { count: number; texts: string[] } } {
  const texts: string[] = [];
  const note = (message: unknown) => void texts.push((message as { sql: string }).sql);
  subscribe(statementChannel.name, note);
  return {
    stop() {
      unsubscribe(statementChannel.name, note);
      return { count: texts.length, texts };
    },
  };
}
