/** A line and its times, in seconds. */
export type Cue = { start: number; end: number; text: string };

/** SubRip: numbered, with commas in times. */
export function writeSrt(cues: readonly Cue[]): string {
  return cues.map((cue, index) => `${index + 1}\n${timesOf(cue, ',')}\n${lineOf(cue)}\n`).join('\n');
}

export function writeVtt(cues: readonly Cue[]): string {
  return ['WEBVTT\n', ...cues.map((cue) => `${timesOf(cue, '.')}\n${lineOf(cue)}\n`)].join('\n');
}

function timesOf({ start, end }: Cue, point: string): string {
  return `${timeOf(start, point)} --> ${timeOf(end, point)}`;
}

function timeOf(seconds: number, point: string): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const clock = `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}`;
  return `${clock}${point}${String(ms % 1000).padStart(3, '0')}`;
}

/** An arrow would be read as times, and an empty line ends a cue. */
function lineOf({ text }: Cue): string {
  return text
    .trim()
    .replaceAll('-->', '→')
    .replaceAll(/\n\s*\n/g, '\n');
}
