import type { Logger } from '../../kit/base/log.ts';
import type { LeftDevice } from '../engine.ts';
import type { ChildExited } from '../process/start-child.ts';
import type { SupervisedOptions } from '../process/supervise-child.ts';
import { createNativeLog } from './native-log.ts';
import type { GpuName, LoadingFacts } from './protocol.ts';

/** Of native code that cannot go on. Other signals come from outside: from an operator, or from a system short of memory. */
const FAULTS: readonly (string | null)[] = ['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'];
const REASON_CHARACTERS_MAX = 300;

type Watching = Required<
  Pick<SupervisedOptions<object>, 'loading' | 'recover' | 'onLine' | 'lastWords' | 'environment'>
>;

/**
 * Follows which GPU the process of a model uses. One on which it fails is left: `kinds` and `environment` tell the next
 * process, which takes the next device, and in the end the CPU.
 */
export function createDeviceWatch(options: {
  name: string;
  log: Logger;
  environment: Record<string, string | undefined> | undefined;
}): { left: LeftDevice[]; kinds: GpuName[]; watching: Watching } {
  const { name, log } = options;
  // A process that aborts would call a debugger first, which takes seconds and prints what it was computing.
  const environment: Record<string, string | undefined> = { ...options.environment, GGML_NO_BACKTRACE: '1' };
  const left: LeftDevice[] = [];
  const kinds: GpuName[] = [];
  let using: LoadingFacts | undefined;
  const native = createNativeLog(name, log, () => using?.device);

  function recover(end: ChildExited, reported: string | undefined): boolean {
    const [used, words] = [using, native.lastWords()];
    using = undefined;
    native.reset();
    // What the CPU cannot load either, such as a damaged file, was not the fault of the others.
    if (used === undefined && reported !== undefined) {
      left.length = kinds.length = 0;
      environment.GGML_METAL_DEVICES = options.environment?.GGML_METAL_DEVICES;
    }
    if (used === undefined || kinds.includes(used.device) || !isDeviceFault(end)) return false;
    const { device } = used;
    const reason = explain(end, used, reported, words);
    log.error({ engine: name, device, reason }, 'a GPU fails and is left until the next start; the next device serves');
    left.push({ kind: device, reason });
    kinds.push(device);
    // The only build for Macs has Metal in it, which takes long prompts even from models without a layer on the GPU.
    if (device === 'metal') environment.GGML_METAL_DEVICES = '0';
    return true;
  }

  return {
    left,
    kinds,
    watching: {
      environment,
      onLine: native.onLine,
      lastWords: native.lastWords,
      recover,
      loading: (facts) => {
        using = facts as LoadingFacts;
      },
    },
  };
}

function isDeviceFault({ killed, wasReady, code, signal }: ChildExited): boolean {
  if (killed === undefined) return signal === null ? code !== 0 : FAULTS.includes(signal);
  return killed === 'broken' || killed === 'stalled' || (killed === 'hung' && !wasReady);
}

function explain(
  { reason, wasReady, code, signal }: ChildExited,
  { isTried }: LoadingFacts,
  reported: string | undefined,
  words: string | undefined,
): string {
  const when = wasReady ? 'while it served' : isTried ? 'in its trial' : 'while it was loaded';
  const what = reason === undefined ? `its process ended with ${signal ?? `code ${code}`} ${when}` : `it ${reason}`;
  const more = words ?? reported?.split('\n', 1)[0];
  return (more === undefined ? what : `${what} (${more})`).replaceAll(/\p{Cc}/gu, ' ').slice(0, REASON_CHARACTERS_MAX);
}
