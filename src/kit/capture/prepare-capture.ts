import { type Node, parsePattern, UnsupportedPattern } from './parse-pattern.ts';

const PATTERN_CHARACTERS_MAX = 512;
const PROGRAM_MAX = 256;

type Step =
  | { do: 'take'; test: (character: string) => boolean }
  /** Tries the first place, and the second one where that fails. */
  | { do: 'split'; first: number; second: number }
  | { do: 'note'; slot: 0 | 1 }
  | { do: 'start' | 'end' | 'match' };

/** What the first group of a pattern holds in a text; null where the text does not match. */
export type Capture = (text: string) => string | null;

/**
 * A regular expression of a client whose first group is wanted; undefined for one that is none, has no group, or needs
 * what cannot be matched in linear time: looks around, back references. Matches as the runtime does, but tries each step
 * of the pattern at each place of the text once at most.
 */
export function prepareCapture(source: string): Capture | undefined {
  if (source.length > PATTERN_CHARACTERS_MAX) return undefined;
  try {
    const { root, groups } = parsePattern(source);
    if (groups === 0) return undefined;
    const program: Step[] = [];
    append(program, root);
    program.push({ do: 'match' });
    return (text) => run(program, text);
  } catch (error) {
    if (error instanceof UnsupportedPattern) return undefined;
    throw error;
  }
}

function append(program: Step[], node: Node): void {
  if (program.length > PROGRAM_MAX) throw new UnsupportedPattern();
  switch (node.type) {
    case 'character':
      program.push({ do: 'take', test: node.test });
      return;
    case 'start':
    case 'end':
      program.push({ do: node.type });
      return;
    case 'sequence':
      for (const part of node.parts) append(program, part);
      return;
    case 'group':
      if (node.isFirst) program.push({ do: 'note', slot: 0 });
      append(program, node.body);
      if (node.isFirst) program.push({ do: 'note', slot: 1 });
      return;
    case 'either':
      appendEither(program, node.parts);
      return;
    case 'repeat':
      appendRepeat(program, node);
  }
}

function appendEither(program: Step[], parts: Node[]): void {
  const ends: { do: 'split'; first: number; second: number }[] = [];
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) append(program, part);
    else {
      const fork = pushSplit(program);
      fork.first = program.length;
      append(program, part);
      ends.push(pushSplit(program));
      fork.second = program.length;
    }
  }
  for (const end of ends) end.first = end.second = program.length;
}

function appendRepeat(program: Step[], { body, min, max, isLazy }: Extract<Node, { type: 'repeat' }>): void {
  for (let count = 0; count < min; count++) append(program, body);
  if (max === Number.POSITIVE_INFINITY) {
    const at = program.length;
    const fork = pushSplit(program);
    const inside = program.length;
    append(program, body);
    const back = pushSplit(program);
    back.first = back.second = at;
    choose(fork, inside, program.length, isLazy);
    return;
  }
  const forks: [fork: ReturnType<typeof pushSplit>, inside: number][] = [];
  for (let count = min; count < max; count++) {
    forks.push([pushSplit(program), program.length]);
    append(program, body);
  }
  for (const [fork, inside] of forks) choose(fork, inside, program.length, isLazy);
}

function choose(fork: { first: number; second: number }, inside: number, after: number, isLazy: boolean): void {
  fork.first = isLazy ? after : inside;
  fork.second = isLazy ? inside : after;
}

function pushSplit(program: Step[]): { do: 'split'; first: number; second: number } {
  const split = { do: 'split' as const, first: 0, second: 0 };
  program.push(split);
  return split;
}

type Branch = { at: number; place: number; from: number; to: number };

function run(program: Step[], text: string): string | null {
  const width = text.length + 1;
  // What failed once fails again, however the pattern came there.
  const tried = new Uint8Array(program.length * width);
  for (let start = 0; start <= text.length; start++) {
    const branches: Branch[] = [{ at: 0, place: start, from: -1, to: -1 }];
    for (let branch = branches.pop(); branch; branch = branches.pop()) {
      const found = follow(program, text, branch, tried, branches);
      if (found) return found.from < 0 || found.to < 0 ? null : text.slice(found.from, found.to);
    }
  }
  return null;
}

/** One branch to its end; those it leaves aside are pushed. */
function follow(
  program: Step[],
  text: string,
  branch: Branch,
  tried: Uint8Array,
  branches: Branch[],
): Branch | undefined {
  let { at, place, from, to } = branch;
  for (;;) {
    const index = at * (text.length + 1) + place;
    if (tried[index]) return undefined;
    tried[index] = 1;
    const step = program[at] as Step;
    if (step.do === 'match') return { at, place, from, to };
    if (step.do === 'split') {
      if (step.second !== step.first) branches.push({ at: step.second, place, from, to });
      at = step.first;
      continue;
    }
    if (step.do === 'start' ? place !== 0 : step.do === 'end' && place !== text.length) return undefined;
    if (step.do === 'note') {
      if (step.slot === 0) from = place;
      else to = place;
    } else if (step.do === 'take') {
      if (place === text.length || !step.test(text[place] as string)) return undefined;
      place += 1;
    }
    at += 1;
  }
}
