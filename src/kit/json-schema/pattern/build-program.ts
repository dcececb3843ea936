import type { CharSet } from './char-set.ts';
import type { Expression } from './parse-pattern.ts';

export const OP = { code: 0, set: 1, split: 2, jump: 3, place: 4, look: 5, match: 6 } as const;
export const PLACES = ['start', 'end', 'word', 'noWord'] as const;

/** A nondeterministic automaton: state `i` has an operation and two operands. */
export type Program = {
  ops: Uint8Array;
  first: Int32Array;
  second: Int32Array;
  sets: CharSet[];
  /** For one run at a time, which is enough: a run is synchronous. */
  scratch: Scratch;
  /** Can only match from the first position on. */
  isAnchored: boolean;
};
type Scratch = { marks: Uint32Array; generation: number; now: Int32Array; next: Int32Array; stack: Int32Array };

/** `isReverse`: matches from the end of the text to its beginning. */
export function buildProgram(expression: Expression, isReverse: boolean): Program {
  const ops: number[] = [];
  const first: number[] = [];
  const second: number[] = [];
  const sets: CharSet[] = [];
  const setIndexes = new Map<CharSet, number>();
  emit(expression);
  push(OP.match);
  const size = ops.length;
  return {
    ops: Uint8Array.from(ops),
    first: Int32Array.from(first),
    second: Int32Array.from(second),
    sets,
    isAnchored: !isReverse && isAnchored(expression),
    scratch: {
      marks: new Uint32Array(size),
      generation: 0,
      now: new Int32Array(size),
      next: new Int32Array(size),
      // A state is pushed at most twice before its mark stops it.
      stack: new Int32Array(size * 2 + 2),
    },
  };

  function push(op: number, a = 0, b = 0): number {
    ops.push(op);
    first.push(a);
    second.push(b);
    return ops.length - 1;
  }

  function emit(part: Expression): void {
    switch (part.type) {
      case 'code':
        push(OP.code, part.code);
        return;
      case 'set':
        emitSet(part.set);
        return;
      case 'sequence':
        for (const inner of isReverse ? part.parts.toReversed() : part.parts) emit(inner);
        return;
      case 'either':
        emitEither(part.parts);
        return;
      case 'repeat':
        emitRepeat(part.body, part.min, part.max);
        return;
      case 'place':
        push(OP.place, PLACES.indexOf(part.place));
        return;
      case 'look':
        push(OP.look, part.index);
    }
  }

  function emitSet(set: CharSet): void {
    let index = setIndexes.get(set);
    if (index === undefined) {
      index = sets.push(set) - 1;
      setIndexes.set(set, index);
    }
    push(OP.set, index);
  }

  function emitEither(parts: Expression[]): void {
    const jumps: number[] = [];
    for (const [index, part] of parts.entries()) {
      if (index === parts.length - 1) {
        emit(part);
        break;
      }
      const split = push(OP.split, ops.length + 1);
      emit(part);
      jumps.push(push(OP.jump));
      second[split] = ops.length;
    }
    for (const jump of jumps) first[jump] = ops.length;
  }

  function emitRepeat(body: Expression, min: number, max: number): void {
    for (let time = 0; time < min; time++) emit(body);
    if (max === Infinity) {
      const split = push(OP.split, ops.length + 1);
      emit(body);
      push(OP.jump, split);
      second[split] = ops.length;
      return;
    }
    const splits: number[] = [];
    for (let time = min; time < max; time++) {
      splits.push(push(OP.split, ops.length + 1));
      emit(body);
    }
    for (const split of splits) second[split] = ops.length;
  }
}

function isAnchored(part: Expression): boolean {
  if (part.type === 'place') return part.place === 'start';
  if (part.type === 'sequence') return part.parts[0] !== undefined && isAnchored(part.parts[0]);
  return part.type === 'either' && part.parts.every(isAnchored);
}
