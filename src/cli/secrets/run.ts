import { rotateSecrets } from '../../operator/rotate-secrets.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { withPlatform } from '../shell/with-platform.ts';

export async function rotate(context: Context): Promise<ExitCode> {
  const rotated = await withPlatform(context, (platform, config) => rotateSecrets(config, platform.database));
  const { resealed, unreadable, file } = rotated;
  context.output.result(
    rotated,
    [
      `Encrypted ${resealed} secrets with ${file === null ? 'the first key of TRAMONTANE_SECRETS_KEY' : `a new key in ${file}`}.`,
      ...(file === null ? [] : ['Back the file up. The key before stays in it until the next rotation.']),
      ...(unreadable === 0
        ? []
        : [`${unreadable} secrets cannot be read by any key. Their owners must sign in or enter them again.`]),
    ].join('\n'),
  );
  return unreadable === 0 ? 0 : 1;
}
