import { type CharacterSet, union } from './character-set.ts';

/** A part of a grammar. Equal parts are one object, so `id` tells whether two are the same. */
export type Expression = { id: number } & (
  | { kind: 'empty' }
  | { kind: 'character'; set: CharacterSet }
  /** `head` is never a sequence itself. */
  | { kind: 'sequence'; head: Expression; tail: Expression }
  | { kind: 'either'; options: Expression[] }
  | { kind: 'repeat'; body: Expression; min: number; max: number }
  | { kind: 'rule'; name: string }
);

/** Thrown when a grammar would take too long to prepare or to follow. */
export class TooExpensive extends Error {}

export type Builder = ReturnType<typeof createBuilder>;

/** Makes expressions in their simplest form, so that many ways of writing the same thing become one. */
export function createBuilder(partsMax: number) {
  const known = new Map<string, Expression>();
  const empty = make('', { kind: 'empty' });

  function make(key: string, part: Omit<Extract<Expression, { kind: Expression['kind'] }>, 'id'>): Expression {
    const found = known.get(key);
    if (found) return found;
    if (known.size > partsMax) throw new TooExpensive('It has too many parts.');
    const made = { ...part, id: known.size } as Expression;
    known.set(key, made);
    return made;
  }

  const character = (set: CharacterSet): Expression => make(`c${set.join()}`, { kind: 'character', set } as never);
  const rule = (name: string): Expression => make(`n${name}`, { kind: 'rule', name } as never);

  function sequence(head: Expression, tail: Expression): Expression {
    if (head.kind === 'empty') return tail;
    if (tail.kind === 'empty') return head;
    if (head.kind === 'sequence') return listParts(head).reduceRight((rest, part) => sequence(part, rest), tail);
    return joined(head, tail) ?? make(`s${head.id},${tail.id}`, { kind: 'sequence', head, tail } as never);
  }

  /** `a{0,3} a{1,2}` and `a? a` are one repetition each: two would be two ways to read the same text. */
  function joined(head: Expression, tail: Expression): Expression | undefined {
    const [next, rest] = tail.kind === 'sequence' ? [tail.head, tail.tail] : [tail, empty];
    const a = asRepeat(head);
    const b = asRepeat(next);
    if (a.body !== b.body || (head.kind !== 'repeat' && next.kind !== 'repeat')) return undefined;
    return sequence(repeat(a.body, a.min + b.min, a.max + b.max), rest);
  }

  function either(options: Expression[]): Expression {
    const flat = new Map<number, Expression>();
    let set: CharacterSet | undefined;
    for (const option of options.flatMap((one) => (one.kind === 'either' ? one.options : [one]))) {
      if (option.kind === 'character') set = set ? union(set, option.set) : option.set;
      else flat.set(option.id, option);
    }
    const list = [...flat.values(), ...(set ? [character(set)] : [])].sort((a, b) => a.id - b.id);
    const [only] = list;
    if (list.length === 1 && only) return only;
    return make(`e${list.map(({ id }) => id).join()}`, { kind: 'either', options: list } as never);
  }

  function repeat(body: Expression, min: number, max: number): Expression {
    if (max === 0 || body.kind === 'empty') return empty;
    if (min === 1 && max === 1) return body;
    // What may be empty may be left out as often: `(a?){5}` is `a{0,5}`.
    if (mayBeEmpty(body)) return repeat(withoutEmpty(body), 0, max);
    if (body.kind === 'repeat' && body.min <= 1 && (body.min === 1 || min <= 1)) {
      return repeat(body.body, body.min === 0 ? 0 : min, body.max * max);
    }
    return make(`r${body.id},${min},${max}`, { kind: 'repeat', body, min, max } as never);
  }

  /** Without looking into rules. */
  function mayBeEmpty(part: Expression): boolean {
    switch (part.kind) {
      case 'empty':
        return true;
      case 'either':
        return part.options.some(mayBeEmpty);
      case 'repeat':
        return part.min === 0;
      case 'sequence':
        return mayBeEmpty(part.head) && mayBeEmpty(part.tail);
      default:
        return false;
    }
  }

  function withoutEmpty(part: Expression): Expression {
    if (!mayBeEmpty(part)) return part;
    switch (part.kind) {
      case 'either':
        return either(part.options.filter(({ kind }) => kind !== 'empty').map(withoutEmpty));
      case 'repeat':
        return repeat(part.body, 1, part.max);
      case 'sequence':
        return either([sequence(withoutEmpty(part.head), part.tail), withoutEmpty(part.tail)]);
      default:
        return part;
    }
  }

  return { empty, character, rule, sequence, either, repeat, size: () => known.size };
}

function asRepeat(part: Expression): { body: Expression; min: number; max: number } {
  return part.kind === 'repeat' ? part : { body: part, min: 1, max: 1 };
}

/** The parts of a sequence in order. */
export function listParts(part: Expression): Expression[] {
  const parts: Expression[] = [];
  let rest = part;
  for (; rest.kind === 'sequence'; rest = rest.tail) parts.push(rest.head);
  if (rest.kind !== 'empty' || parts.length === 0) parts.push(rest);
  return parts;
}
