import { TooExpensive } from './one-way/expression.ts';

/** The rules of one GBNF grammar in the making. Equal bodies share a rule. */
export type Rules = {
  /** The name of a rule with this body. */
  add(body: string, hint?: string): string;
  /** A name whose body comes later, for rules that refer to themselves. */
  reserve(hint: string): { name: string; define(body: string): void };
  size(): number;
  print(root: string): string;
};

const charactersMax = 1_000_000;

export function createRules(): Rules {
  const bodies = new Map<string, string>();
  const names = new Map<string, string>();
  let characters = 0;

  function written(body: string): void {
    characters += body.length;
    if (characters > charactersMax) throw new TooExpensive('It has too many alternatives.');
  }

  function fresh(hint: string): string {
    return `${hint.replaceAll(/[^a-zA-Z0-9]+/g, '-').slice(0, 20)}-${bodies.size}`;
  }

  return {
    add(body, hint = 'r') {
      written(body);
      const known = names.get(body);
      if (known !== undefined) return known;
      const name = fresh(hint);
      bodies.set(name, body);
      names.set(body, name);
      return name;
    },
    reserve(hint) {
      const name = fresh(hint);
      bodies.set(name, '""');
      return {
        name,
        define(body) {
          written(body);
          bodies.set(name, body);
        },
      };
    },
    size: () => bodies.size,
    print: (root) => [`root ::= ${root}`, ...[...bodies].map(([name, body]) => `${name} ::= ${body}`), ''].join('\n'),
  };
}

/** GBNF text for exactly these characters. */
export function literal(text: string): string {
  return `"${[...text].map((character) => (/[\w ./:,;{}()<>|=+*!?@#$%&'~-]/.test(character) ? character : escaped(character))).join('')}"`;
}

/** GBNF text for a character inside brackets, or anywhere else. */
export function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80 && /[a-zA-Z0-9]/.test(character)) return character;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0');
}

export function either(options: string[]): string {
  return options.length === 1 ? (options[0] ?? '""') : `(${options.join(' | ')})`;
}

/** The native parser unfolds repetitions; beyond this a bound is left to the check afterwards. */
const repetitionMax = 500;

export function repeat(item: string, min: number, max: number | undefined): string {
  const low = Math.min(min, repetitionMax);
  if (max === 0) return '""';
  if (max === undefined || max > repetitionMax) return low === 0 ? `${item}*` : `${item}{${low},}`;
  return `${item}{${Math.min(low, max)},${max}}`;
}
