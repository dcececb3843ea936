import type { Budget } from '../budget.ts';
import { OP, type Program } from './build-program.ts';
import { isWordCode, setHas } from './char-set.ts';

type Input = {
  /** Code points, or units for a pattern without Unicode mode. */
  codes: Int32Array;
  /** For each lookaround, whether it holds before the code of that index. */
  looks: Uint8Array[];
  budget: Budget;
};

/** Whether the program matches anywhere in the text. Each state is visited at most once per position. */
export function findMatch(program: Program, input: Input): boolean {
  return run(program, input, 1, undefined);
}

/** For every position whether a match that is read in this direction ends there. */
export function markMatches(program: Program, input: Input, direction: 1 | -1): Uint8Array {
  const ends = new Uint8Array(input.codes.length + 1);
  run(program, input, direction, ends);
  return ends;
}

function run(
  program: Program,
  { codes, looks, budget }: Input,
  direction: 1 | -1,
  ends: Uint8Array | undefined,
): boolean {
  const { ops, first, second, sets, scratch, isAnchored } = program;
  const { marks, stack } = scratch;
  const { now, next } = scratch;
  const { length } = codes;
  let seeds = 0;
  for (let step = 0; step <= length; step++) {
    const position = direction === 1 ? step : length - step;
    const generation = nextGeneration(program);
    let waiting = 0;
    let visited = 0;
    let top = 0;
    // The seeds are the states reached by the code before; the start state joins them, as a match may begin anywhere.
    if (step === 0 || !isAnchored) stack[top++] = 0;
    for (let seed = seeds - 1; seed >= 0; seed--) stack[top++] = now[seed] as number;
    let isMatch = false;
    while (top > 0) {
      const state = stack[--top] as number;
      if (marks[state] === generation) continue;
      marks[state] = generation;
      visited += 1;
      const operand = first[state] as number;
      switch (ops[state]) {
        case OP.split:
          stack[top++] = second[state] as number;
          stack[top++] = operand;
          break;
        case OP.jump:
          stack[top++] = operand;
          break;
        case OP.place:
          if (isAt(operand, codes, position)) stack[top++] = state + 1;
          break;
        case OP.look:
          if (looks[operand]?.[position] === 1) stack[top++] = state + 1;
          break;
        case OP.match:
          isMatch = true;
          break;
        default:
          next[waiting++] = state;
      }
    }
    budget.spend(visited + 1);
    if (isMatch && !ends) return true;
    if (isMatch && ends) ends[position] = 1;
    if (step === length) return false;
    const code = codes[direction === 1 ? position : position - 1] as number;
    seeds = 0;
    for (let at = 0; at < waiting; at++) {
      const state = next[at] as number;
      const operand = first[state] as number;
      const isIn = ops[state] === OP.code ? operand === code : setHas(sets[operand] as never, code, budget);
      if (isIn) now[seeds++] = state + 1;
    }
    if (seeds === 0 && isAnchored) return false;
  }
  return false;
}

function nextGeneration({ scratch }: Program): number {
  if (scratch.generation === 0xffffffff) {
    scratch.marks.fill(0);
    scratch.generation = 0;
  }
  scratch.generation += 1;
  return scratch.generation;
}

/** By the order of `PLACES`. */
function isAt(place: number, codes: Int32Array, position: number): boolean {
  if (place === 0) return position === 0;
  if (place === 1) return position === codes.length;
  const before = position > 0 && isWordCode(codes[position - 1] as number);
  const after = position < codes.length && isWordCode(codes[position] as number);
  return (before !== after) === (place === 2);
}
