import type { Budget } from '../budget.ts';
import { buildProgram, type Program } from './build-program.ts';
import { checkSyntax, type Parsed, parsePattern } from './parse-pattern.ts';
import { findMatch, markMatches } from './run-program.ts';
import { prepareTimed } from './timed-pattern.ts';

const PROGRAM_STEPS = 1000;
const STATE_STEPS = 20;
/** What a test costs before it looks at the text. */
const TEST_STEPS = 12;

export type Pattern = {
  /** Of its automaton, for limits on memory. */
  size: number;
  test(text: string, budget: Budget): boolean;
};

/**
 * A pattern of a client, matched in time that is linear in the text: all states at once, no backtracking. Throws
 * `InvalidSchema` or `TooExpensive`.
 */
export function preparePattern(source: string): Pattern {
  const { isUnicode } = checkSyntax(source);
  const parsed = parsePattern(source, isUnicode);
  const { size } = parsed.expression;
  if (parsed.needsRuntime) return { size, test: prepareTimed(source, isUnicode, size) };
  // Most patterns of a schema that is only passed on to a model are never used, and the parsed form is large.
  let machine: Machine | undefined;
  return {
    size,
    test(text, budget) {
      machine ??= buildMachine(parsePattern(source, isUnicode), budget);
      return testMachine(machine, text, budget);
    },
  };
}

type Machine = {
  isUnicode: boolean;
  main: Program;
  looks: { program: Program; isBehind: boolean; isNegated: boolean }[];
};

function buildMachine(parsed: Parsed, budget: Budget): Machine {
  budget.spend((parsed.looks.length + 1) * PROGRAM_STEPS + parsed.expression.size * STATE_STEPS);
  return {
    isUnicode: parsed.isUnicode,
    main: buildProgram(parsed.expression, false),
    // What lies ahead is read backwards from the end, so that one pass answers for every position.
    looks: parsed.looks.map(({ body, isBehind, isNegated }) => ({
      program: buildProgram(body, !isBehind),
      isBehind,
      isNegated,
    })),
  };
}

function testMachine({ isUnicode, main, looks }: Machine, text: string, budget: Budget): boolean {
  budget.spend(TEST_STEPS + (text.length >> 2));
  const codes = codesOf(text, isUnicode);
  const answers: Uint8Array[] = [];
  for (const { program, isBehind, isNegated } of looks) {
    const ends = markMatches(program, { codes, looks: answers, budget }, isBehind ? 1 : -1);
    if (isNegated) for (let at = 0; at < ends.length; at++) ends[at] = 1 - (ends[at] as number);
    answers.push(ends);
  }
  return findMatch(main, { codes, looks: answers, budget });
}

/** Of the last short text: each key of an object is tested by many patterns. */
let last: { text: string; isUnicode: boolean; codes: Int32Array } = {
  text: '',
  isUnicode: false,
  codes: new Int32Array(),
};
const KEPT_CHARACTERS_MAX = 256;

function codesOf(text: string, isUnicode: boolean): Int32Array {
  if (text === last.text && isUnicode === last.isUnicode) return last.codes;
  const codes = readCodes(text, isUnicode);
  if (text.length <= KEPT_CHARACTERS_MAX) last = { text, isUnicode, codes };
  return codes;
}

function readCodes(text: string, isUnicode: boolean): Int32Array {
  const codes = new Int32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = (isUnicode ? text.codePointAt(at) : text.charCodeAt(at)) as number;
    if (code > 0xffff) at += 1;
    codes[count++] = code;
  }
  return codes.subarray(0, count);
}
