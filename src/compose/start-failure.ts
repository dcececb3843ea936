import type { Config } from '../config/config.ts';
import { codeOf } from '../kit/base/error-code.ts';
import { StorageFailure, storageProblemOf } from '../kit/base/storage-failure.ts';
import { ProgramTooOld } from '../kit/db/index.ts';

/** The start failed for a reason that the operator can fix; shown as one line without a stack. */
export class StartFailure extends Error {}

/** Turns errors of the network, the file system and SQLite into a StartFailure that says what to do. */
export function explainStartFailure(
  error: unknown,
  { host, port, dataDir }: Pick<Config, 'host' | 'port' | 'dataDir'>,
): unknown {
  const code = codeOf(error);
  switch (code) {
    case 'EADDRINUSE':
      return new StartFailure(
        `Port ${port} on ${host} is taken. Stop the other program, or choose another port with TRAMONTANE_PORT.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartFailure(
        `This machine has no address ${host}. Set TRAMONTANE_HOST to one it has, such as 127.0.0.1 or 0.0.0.0.`,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
      return new StartFailure(
        `The data dir ${dataDir} cannot be written (${code}). Give this user the right to write it, or choose another with TRAMONTANE_DATA_DIR.`,
      );
    case 'ENOSPC':
    case 'SQLITE_FULL':
      return new StartFailure(`The disk of ${dataDir} is full. Make room and start again.`);
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return new StartFailure(
        `The database in ${dataDir} is damaged (${code}). Restore a backup: tramontane restore --help`,
      );
    default:
      // SQLite reports every other problem of the disk with one generic code.
      if (storageProblemOf(error) === 'failing')
        return new StartFailure(
          `The disk of ${dataDir} fails (${code}). See whether it is full or broken, then try again.`,
        );
      // PostgreSQL or the store of files went away between its opening and the first request.
      if (error instanceof StorageFailure && error.problem === 'unreachable')
        return new StartFailure(`${error.message} See whether it is up and has time to answer, then start again.`);
      return error;
  }
}

/** Turns a failure to open or read the database into a StartFailure that says what to do. */
export function explainDatabaseFailure(error: unknown, config: Config): unknown {
  if (error instanceof StartFailure) return error;
  if (error instanceof ProgramTooOld) return new StartFailure(error.message);
  if (config.database.kind === 'sqlite') return explainStartFailure(error, config);
  const cause = error instanceof StorageFailure ? error.cause : error;
  const reason =
    cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : String(cause);
  return new StartFailure(
    `The database ${describeDatabase(config.database.url)} cannot be used (${reason}). Check TRAMONTANE_DATABASE_URL and that the server is up.`,
  );
}

/** Name, host and port; never user or password. */
export function describeDatabase(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${pathname.slice(1)} on ${hostname}:${port || 5432}`;
}
