import { runDoctor } from '../../operator/doctor/run-doctor.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { applyFlags } from '../shell/read-config.ts';

const STYLES = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

export async function doctor({ args, output, environment }: Context): Promise<ExitCode> {
  const { checks, healthy } = await runDoctor(applyFlags(environment, args));
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap((check) => {
    const status = output.styled(STYLES[check.status], check.status.padEnd(4));
    const line = `${status}  ${check.name.padEnd(width)}  ${check.what}`;
    return check.status === 'ok' ? [line] : [line, `${' '.repeat(width + 8)}fix: ${check.fix}`];
  });
  output.result({ healthy, checks }, lines.join('\n'));
  return healthy ? 0 : 1;
}
