import type { AppProgress } from '../../main.ts';
import type { Output } from '../shell/output.ts';

const PHASES = { writing: 'writing files', compressing: 'compressing files' };

/** Shows the progress of a console build that runs while the server already serves requests. */
export function showBuild(output: Pick<Output, 'note' | 'progress'>, progress: AppProgress): void {
  if (progress.phase === 'ready')
    output.note(`the console is ready: built in ${(progress.elapsedMs / 1000).toFixed(1)} s`);
  else if (progress.phase === 'failed')
    output.note(
      'the console could not be built (see the log); the API works. To try again: npx tramontane console build',
    );
  else output.progress(`building the console: ${describeBuild(progress)}`);
}

export function describeBuild({ phase, modules }: Extract<AppProgress, { modules: number }>): string {
  return phase === 'reading' ? `${modules} modules read` : `${modules} modules read, ${PHASES[phase]}`;
}
