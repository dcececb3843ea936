import type { Kysely, Transaction } from 'kysely';

/**
 * All tables by name. Empty here: each room adds its own with
 * `declare module '…/kit/db/tables.ts' { interface Tables { … } }`, so kit knows no domain word.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Tables {}

/** What store functions take: the database outside a transaction, the transaction inside. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
