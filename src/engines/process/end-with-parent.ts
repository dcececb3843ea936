import { type ChildProcess, spawn } from 'node:child_process';

// Reads ids of processes from a pipe that closes when the server ends, however it ends, and kills those still listed.
const SCRIPT = `
trap '' INT TERM HUP
ids=' '
while read -r change id; do
  case $change in
    add) ids="$ids$id " ;;
    *) ids="\${ids%% $id *} \${ids#* $id }" ;;
  esac
done
[ "$ids" = ' ' ] || sleep 1
for id in $ids; do kill -9 "$id"; done`;

const listed = new Set<number>();
let guard: ChildProcess | undefined;

/**
 * Kills a child process after the server's own end. Most notice the closed channel themselves, but not one that is busy in
 * an endless loop. Does nothing where there is no POSIX shell.
 */
export function endWithParent(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || process.platform === 'win32') return;
  if (guard) write(`add ${pid}\n`);
  listed.add(pid);
  guard ??= startGuard();
  child.once('exit', () => {
    listed.delete(pid);
    write(`remove ${pid}\n`);
  });
}

function startGuard(): ChildProcess {
  const started = spawn('/bin/sh', ['-c', SCRIPT], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    // A session of its own, so that signals to the server's group leave it alone.
    detached: true,
  });
  const forget = () => {
    if (guard === started) guard = undefined;
  };
  started.once('error', forget).once('exit', forget).unref();
  // The pipe of a guard that has died; the next child starts another one.
  started.stdin?.on('error', () => undefined);
  (started.stdin as unknown as { unref?(): void } | null)?.unref?.();
  for (const pid of listed) started.stdin?.write(`add ${pid}\n`);
  return started;
}

function write(line: string): void {
  guard?.stdin?.write(line);
}
