export { contains, containsInJson } from './contains.ts';
export { type Database, type DatabaseOptions, isMissingTable, isUniqueViolation, lockFor } from './database.ts';
export { executeEach } from './execute-each.ts';
export { holdsJson } from './holds-json.ts';
export { isBeyond } from './is-beyond.ts';
export { countListed, countListedEach, endOf, findPlace, isFrom, type Listed, type Place } from './listed-counts.ts';
export { countFound, findCandidates, rowsOf, type Searched } from './listed-texts.ts';
export { createLooks, type Look, type LookSubject, type Looks, lookForEach } from './looks.ts';
export {
  type AppliedMigration,
  type ColumnTypes,
  compareVersions,
  listAppliedMigrations,
  type Migration,
  migrate,
  ProgramTooOld,
  refuseOldProgram,
} from './migrate.ts';
export { openDatabase } from './open-database.ts';
export { prepare, prepareFor } from './prepare.ts';
export { inOrder, padValues, readGroups, type Sized, storedBytes, takePage } from './read-groups.ts';
export { loadSecret } from './secrets.ts';
export { createSignal, type Signal } from './signals.ts';
export { NoCalmMoment } from './sqlite/checkpoints.ts';
export { openSqliteReader } from './sqlite/open-reader.ts';
export { createReaderThreads } from './sqlite/reader-threads.ts';
export { serveReads } from './sqlite/serve-reads.ts';
export { statementChannel } from './statement-channel.ts';
export type { Db, Tables, Tx } from './tables.ts';
export { afterCommit, beforeCommit, withPrelude } from './transaction-context.ts';
export type { Wakeups } from './wakeups.ts';
export { groupWriter } from './write-groups.ts';
export { rowWriter } from './write-rows.ts';
export { executeTogether, insertPart, mayGoTogether, type Part } from './write-together.ts';
