import type { HeardVoice } from './protocol.ts';

/** Vectors that are more alike than this belong to one speaker. */
export const ALIKE_MIN = 0.45;
/** A known speaker is named only where the likeness is beyond doubt. */
export const KNOWN_MIN = 0.5;

/** In seconds; `speaker` is a name, or `speaker_1` and so on in the order in which they begin to speak. */
export type SpeakerTurn = { start: number; end: number; speaker: string };

type Group = { sum: Float32Array; voices: HeardVoice[] };

/** Voices of all pieces as speakers. Two voices of one piece are never one speaker. */
export function groupVoices(
  voices: readonly HeardVoice[],
  known: readonly { name: string; embedding: Float32Array }[],
): SpeakerTurn[] {
  const groups = mergeGroups(gather(voices));
  const named = nameGroups(groups, known);
  let count = 0;
  return groups
    .sort((a, b) => beginningOf(a) - beginningOf(b))
    .flatMap((group) => {
      const speaker = named.get(group) ?? `speaker_${++count}`;
      return group.voices.flatMap(({ spans }) => spans.map(([start, end]) => ({ start, end, speaker })));
    })
    .sort((a, b) => a.start - b.start);
}

/** Long ones first, so that a speaker is known by a good likeness. */
function gather(voices: readonly HeardVoice[]): Group[] {
  const groups: Group[] = [];
  for (const voice of [...voices].sort((a, b) => b.seconds - a.seconds)) {
    const open = groups.filter((group) => !group.voices.some(({ piece }) => piece === voice.piece));
    const best = mostAlike(open, voice.embedding);
    if (best && best.likeness >= ALIKE_MIN) add(best.group, voice);
    else groups.push({ sum: voice.embedding.map((value) => value * voice.seconds), voices: [voice] });
  }
  return groups;
}

function add(group: Group, voice: HeardVoice): void {
  for (const [i, value] of voice.embedding.entries()) group.sum[i] = (group.sum[i] as number) + value * voice.seconds;
  group.voices.push(voice);
}

/** Groups that became alike while they grew. */
function mergeGroups(groups: Group[]): Group[] {
  for (;;) {
    let best: { likeness: number; a: Group; b: Group } | undefined;
    for (const [i, a] of groups.entries())
      for (const b of groups.slice(i + 1)) {
        const pieces = new Set(a.voices.map(({ piece }) => piece));
        if (b.voices.some(({ piece }) => pieces.has(piece))) continue;
        const likeness = cosine(a.sum, b.sum);
        if (likeness >= ALIKE_MIN && likeness > (best?.likeness ?? 0)) best = { likeness, a, b };
      }
    if (!best) return groups;
    for (const voice of best.b.voices) add(best.a, voice);
    groups.splice(groups.indexOf(best.b), 1);
  }
}

function nameGroups(groups: readonly Group[], known: readonly { name: string; embedding: Float32Array }[]) {
  const names = new Map<Group, string>();
  const pairs = known.flatMap(({ name, embedding }) =>
    groups.map((group) => ({ name, group, likeness: cosine(group.sum, embedding) })),
  );
  const used = new Set<string>();
  for (const { name, group, likeness } of pairs.sort((a, b) => b.likeness - a.likeness)) {
    if (likeness < KNOWN_MIN || used.has(name) || names.has(group)) continue;
    names.set(group, name);
    used.add(name);
  }
  return names;
}

function mostAlike(groups: readonly Group[], embedding: Float32Array) {
  let best: { group: Group; likeness: number } | undefined;
  for (const group of groups) {
    const likeness = cosine(group.sum, embedding);
    if (!best || likeness > best.likeness) best = { group, likeness };
  }
  return best;
}

export function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, squaresA, squaresB] = [0, 0, 0];
  for (const [i, value] of a.entries()) {
    const other = b[i] as number;
    dot += value * other;
    squaresA += value * value;
    squaresB += other * other;
  }
  return dot / (Math.sqrt(squaresA * squaresB) || 1);
}

function beginningOf({ voices }: Group): number {
  return Math.min(...voices.flatMap(({ spans }) => spans.map(([start]) => start)));
}
