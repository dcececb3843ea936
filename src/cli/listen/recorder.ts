import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { Source } from './source.ts';

const RATE = 16_000;
const FORMAT = { encoding: 'pcm_s16le', sample_rate: RATE };
const COMPLAINT_CHARACTERS_MAX = 400;
/** What a recorder may need to find the sound system of its user. */
const VARIABLES = ['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'PULSE_SERVER', 'PIPEWIRE_REMOTE', 'DBUS_SESSION_BUS_ADDRESS'];

type Recorder = { program: string; systems?: NodeJS.Platform[]; args(device: string | undefined): string[] };

/** In the order in which they are tried. Each writes raw samples to its output until it is ended. */
const RECORDERS: Recorder[] = [
  {
    program: 'parec',
    args: (device) => [
      '--format=s16le',
      `--rate=${RATE}`,
      '--channels=1',
      '--latency-msec=50',
      ...(device ? [`--device=${device}`] : []),
    ],
  },
  {
    program: 'pw-record',
    args: (device) => [
      '--format=s16',
      `--rate=${RATE}`,
      '--channels=1',
      ...(device ? [`--target=${device}`] : []),
      '-',
    ],
  },
  {
    program: 'arecord',
    args: (device) => [
      '-q',
      '-t',
      'raw',
      '-f',
      'S16_LE',
      '-r',
      String(RATE),
      '-c',
      '1',
      ...(device ? ['-D', device] : []),
    ],
  },
  {
    program: 'rec',
    args: () => ['-q', '-t', 'raw', '-b', '16', '-e', 'signed', '-L', '-r', String(RATE), '-c', '1', '-'],
  },
  {
    program: 'ffmpeg',
    systems: ['darwin'],
    args: (device = ':0') => ffmpeg('avfoundation', device),
  },
  { program: 'ffmpeg', systems: ['linux'], args: (device = 'default') => ffmpeg('alsa', device) },
  { program: 'ffmpeg', systems: ['win32'], args: (device = 'audio=Microphone') => ffmpeg('dshow', device) },
];

function ffmpeg(system: string, device: string): string[] {
  const input = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-f', system, '-i', device];
  return [...input, '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-'];
}

/** The microphone, by the first program on the PATH that records. */
export async function openRecorder(
  environment: Environment,
  device: string | undefined,
  signal: AbortSignal,
): Promise<Source> {
  for (const { program, systems, args } of RECORDERS) {
    if (systems && !systems.includes(process.platform)) continue;
    const file = await findProgram(program, environment);
    if (file === undefined) continue;
    const sound = record(file, program, args(device), environment, signal);
    return { name: program, isMicrophone: true, format: FORMAT, sound };
  }
  throw new CommandFailure(
    'There is no program here that records: install alsa-utils (arecord), PulseAudio (parec), PipeWire (pw-record), SoX (rec) or ffmpeg. Or send sound: npx tramontane listen --from talk.wav',
  );
}

async function findProgram(name: string, { PATH = '' }: Environment): Promise<string | undefined> {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  for (const folder of PATH.split(delimiter).filter(Boolean))
    for (const ending of endings) {
      const file = join(folder, name + ending);
      if (
        await access(file, constants.X_OK).then(
          () => true,
          () => false,
        )
      )
        return file;
    }
  return undefined;
}

async function* record(
  file: string,
  program: string,
  args: string[],
  environment: Environment,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const env = Object.fromEntries(VARIABLES.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(-COMPLAINT_CHARACTERS_MAX);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', resolve);
  });
  try {
    let hasSound = false;
    for await (const piece of child.stdout) {
      hasSound = true;
      yield piece as Buffer;
    }
    const code = await ended;
    if (signal.aborted || (code === 0 && hasSound)) return;
    const reason = complaint.trim().split('\n').at(-1) || `it ended with code ${code}`;
    throw new CommandFailure(`${program} cannot record: ${reason}. Check the microphone, or choose one with --device.`);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
