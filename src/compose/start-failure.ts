import { storageProblemOf } from '../kit/base/storage-failure.ts';

/** A start that cannot go on for a reason the user can mend: one line, no stack. */
export class StartFailure extends Error {}

/** Words a failure of the outside world in terms of what to do about it. */
export function explainStart(
  error: unknown,
  { host, port, dataDir }: { host: string; port: number; dataDir: string },
): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
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
      // SQLite has one word for all that a disk does to it beside its data and its log.
      if (storageProblemOf(error) === 'failing')
        return new StartFailure(
          `The disk of ${dataDir} fails (${code}). See whether it is full or broken, then try again.`,
        );
      return error;
  }
}
