import type { AppProgress } from '../../main.ts';
import type { Output } from '../shell/output.ts';

const PHASES = { writing: 'writing the files', compressing: 'compressing them' };

/** The build of the console, as it goes on beside a server that is ready already. */
export function showBuild(output: Output, progress: AppProgress): void {
  if (progress.phase === 'ready')
    output.note(`the console is ready: built in ${(progress.elapsedMs / 1000).toFixed(1)} s`);
  else if (progress.phase === 'failed')
    output.note(
      'the console could not be built; the log has the reason. The API works. Try again: npx tramontane console build',
    );
  else output.progress(`building the console: ${describeBuild(progress)}`);
}

export function describeBuild(progress: Extract<AppProgress, { modules: number }>): string {
  const { phase, modules } = progress;
  return phase === 'reading' ? `${modules} modules read` : `${modules} modules read, ${PHASES[phase]}`;
}
