import { type CharacterSet, fromRanges, NONE, overlaps, union } from './character-set.ts';
import { type Builder, createBuilder, type Expression, listParts, TooExpensive } from './expression.ts';
import { areApart, type Beginning, createLookAhead, join, type LookAhead } from './look-ahead.ts';
import { printGbnf } from './print-gbnf.ts';
import { type Grammar, readGbnf } from './read-gbnf.ts';

const PARTS_MAX = 60_000;
const STATES_MAX = 4000;
const STEPS_MAX = 150_000;

/**
 * The same grammar with only one way to go on for each next character. llama.cpp follows all ways at once, for each word
 * of the vocabulary anew, and their number may double with each character; with one way the time for a token has a bound.
 * Where several begin alike, what they have in common is written once, and they part where they differ. Throws
 * `TooExpensive` where that takes too many rules.
 */
export function makeOneWay(text: string): string {
  try {
    const build = createBuilder(PARTS_MAX);
    const rules = readGbnf(text, build);
    return printGbnf(createRewriter(rules, build, createLookAhead(rules)).run('root'), build);
  } catch (error) {
    if (error instanceof RangeError) throw new TooExpensive('It is nested too deeply.');
    if (error instanceof EndUnclear) throw new TooExpensive('It can end and go on with the same characters.');
    throw error;
  }
}

/** A part may end where it may also go on with a character that follows it; more of what follows must be looked at. */
class EndUnclear extends Error {}

function createRewriter(rules: Grammar, build: Builder, ahead: LookAhead) {
  const made: Grammar = new Map();
  const states = new Map<string, string>();
  const unclearStates = new Set<string>();
  let stateCount = 0;
  let steps = 0;

  /** What must be undone when it turns out to be unclear. */
  const journal: string[] = [];

  function attempt(work: () => Expression | undefined): Expression | undefined {
    const mark = journal.length;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof EndUnclear)) throw error;
      for (const key of journal.splice(mark)) {
        made.delete(states.get(key) ?? '');
        states.delete(key);
      }
      return undefined;
    }
  }

  function count(): void {
    if (++steps > STEPS_MAX) throw new TooExpensive('It has too many forms.');
  }

  /** A part as it stands where it has one way, else rewritten. `after` is what may follow it. */
  function rewrite(part: Expression, after: CharacterSet): Expression {
    count();
    const items = listParts(part);
    const nexts: CharacterSet[] = [];
    let following: Beginning = { first: after, isNullable: false };
    for (const item of items.toReversed()) {
      nexts.push(following.first);
      following = join(ahead.of(item), following);
    }
    nexts.reverse();
    const done: Expression[] = [];
    for (const [index, item] of items.entries()) {
      const next = nexts[index] ?? NONE;
      const isLast = index === items.length - 1;
      const alone = rewriteItem(item, next) ?? (isLast ? undefined : attempt(() => state([item], next)));
      if (alone) {
        done.push(alone);
        continue;
      }
      const rest = items.slice(index).reduceRight((tail, head) => build.sequence(head, tail), build.empty);
      done.push(state([rest], after));
      break;
    }
    return done.reduceRight((tail, head) => build.sequence(head, tail), build.empty);
  }

  function rewriteItem(item: Expression, next: CharacterSet): Expression | undefined {
    switch (item.kind) {
      case 'either': {
        const options = item.options.map((option) => ahead.of(option));
        const isNullable = options.some((option) => option.isNullable);
        if (!areApart(isNullable ? [...options, { first: next, isNullable: false }] : options)) return undefined;
        return attempt(() => build.either(item.options.map((option) => rewrite(option, next))));
      }
      case 'repeat': {
        const body = ahead.of(item.body);
        if (body.isNullable || (item.max > item.min && overlaps(body.first, next))) return undefined;
        return attempt(() =>
          build.repeat(rewrite(item.body, item.max > 1 ? union(body.first, next) : next), item.min, item.max),
        );
      }
      case 'rule': {
        const { first, isNullable } = ahead.of(item);
        return isNullable && overlaps(first, ahead.after(item.name)) ? undefined : item;
      }
      default:
        return item;
    }
  }

  /** The rule for several parts, one of which comes next; which one is not known yet. */
  function state(parts: Expression[], after: CharacterSet): Expression {
    const key = keyOf(parts, after);
    if (unclearStates.has(key)) throw new EndUnclear();
    const known = states.get(key);
    if (known !== undefined) return build.rule(known);
    if (++stateCount > STATES_MAX) throw new TooExpensive('It has too many forms.');
    const name = `way-${stateCount}`;
    states.set(key, name);
    journal.push(key);
    try {
      made.set(name, branch(parts, after));
    } catch (error) {
      if (error instanceof EndUnclear) unclearStates.add(key);
      throw error;
    }
    return build.rule(name);
  }

  function branch(parts: Expression[], after: CharacterSet): Expression {
    const { characters, references, isEnd } = begin(parts);
    const firsts = [...characters.map(({ set }) => set), ...[...references.keys()].map((rule) => ahead.of(rule).first)];
    if (isEnd && firsts.some((first) => overlaps(first, after))) throw new EndUnclear();
    const branches = partition(characters);
    const options = [
      ...branches.map(({ set, rests }) => build.sequence(build.character(set), goOn(rests, after))),
      ...[...references].map(([rule, rests]) => build.sequence(rule, goOn(rests, after))),
    ];
    return build.either(isEnd ? [...options, build.empty] : options);
  }

  function goOn(parts: Expression[], after: CharacterSet): Expression {
    const [only] = parts;
    if (parts.length > 1 || !only || states.has(keyOf(parts, after))) return state(parts, after);
    return rewrite(only, after);
  }

  /** What parts begin with: characters, and rules that can be told from everything else by their first character. */
  function begin(parts: Expression[]) {
    const characters: Branch[] = [];
    const references = new Map<Expression, Expression[]>();
    const seen = new Set<string>();
    let isEnd = false;
    let todo = parts.map((part): [Expression, Expression] => [part, build.empty]);
    for (;;) {
      for (let next = todo.pop(); next; next = todo.pop()) open(...next);
      todo = unclear();
      if (todo.length === 0) return { characters, references, isEnd };
    }

    /** `rest` comes after the part; both together would become a simpler part again. */
    function open(part: Expression, rest: Expression): void {
      count();
      const key = `${part.id},${rest.id}`;
      if (seen.has(key)) return;
      seen.add(key);
      switch (part.kind) {
        case 'empty':
          if (rest.kind === 'empty') isEnd = true;
          else todo.push([rest, build.empty]);
          return;
        case 'character':
          characters.push({ set: part.set, rests: [rest] });
          return;
        case 'rule':
          references.set(part, [...(references.get(part) ?? []), rest]);
          return;
        case 'sequence':
          todo.push([part.head, build.sequence(part.tail, rest)]);
          return;
        case 'either':
          for (const option of part.options) todo.push([option, rest]);
          return;
        case 'repeat': {
          const { body, min, max } = part;
          todo.push([body, build.sequence(build.repeat(body, Math.max(0, min - 1), max - 1), rest)]);
          if (min === 0) todo.push([rest, build.empty]);
        }
      }
    }

    /** Rules that begin like something else are replaced by their bodies. */
    function unclear(): [Expression, Expression][] {
      const all = [...references.keys()].map((rule) => ({ rule, ...ahead.of(rule) }));
      const found = all.filter(
        ({ rule, first, isNullable }) =>
          isNullable ||
          characters.some(({ set }) => overlaps(set, first)) ||
          all.some((other) => other.rule !== rule && overlaps(other.first, first)),
      );
      return found.flatMap(({ rule }) => {
        const rests = references.get(rule) ?? [];
        references.delete(rule);
        const body = (rule.kind === 'rule' && rules.get(rule.name)) || build.empty;
        return rests.map((rest): [Expression, Expression] => [body, rest]);
      });
    }
  }

  return {
    /** Every rule that is needed from this one on. */
    run(root: string): Grammar {
      const done: Grammar = new Map();
      const todo = [root];
      for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
        if (done.has(name)) continue;
        const body = rules.get(name);
        done.set(name, body ? rewrite(body, ahead.after(name)) : (made.get(name) ?? build.empty));
        todo.push(...listReferences(done.get(name) ?? build.empty));
      }
      return done;
    },
  };
}

type Branch = { set: CharacterSet; rests: Expression[] };

function keyOf(parts: Expression[], after: CharacterSet): string {
  return `${[...new Set(parts.map(({ id }) => id))].sort((a, b) => a - b).join()}|${after.join()}`;
}

/** Branches whose characters do not overlap: each has all that may follow its characters. */
function partition(branches: Branch[]): Branch[] {
  const events: [at: number, branch: number, isStart: boolean][] = [];
  branches.forEach(({ set }, branch) => {
    for (let i = 0; i < set.length; i += 2) {
      events.push([set[i] ?? 0, branch, true], [(set[i + 1] ?? 0) + 1, branch, false]);
    }
  });
  events.sort(([a], [b]) => a - b);
  const active = new Set<number>();
  const grouped = new Map<string, { ranges: [number, number][]; rests: Expression[] }>();
  for (const [index, [at, branch, isStart]] of events.entries()) {
    if (isStart) active.add(branch);
    else active.delete(branch);
    const end = events[index + 1]?.[0] ?? at;
    if (end === at || active.size === 0) continue;
    const rests = [...new Set([...active].flatMap((one) => branches[one]?.rests ?? []))].sort((a, b) => a.id - b.id);
    const key = rests.map(({ id }) => id).join();
    const group = grouped.get(key) ?? { ranges: [], rests };
    group.ranges.push([at, end - 1]);
    grouped.set(key, group);
  }
  return [...grouped.values()].map(({ ranges, rests }) => ({ set: fromRanges(ranges), rests }));
}

export function listReferences(part: Expression): string[] {
  switch (part.kind) {
    case 'rule':
      return [part.name];
    case 'either':
      return part.options.flatMap(listReferences);
    case 'repeat':
      return listReferences(part.body);
    case 'sequence':
      return listParts(part).flatMap(listReferences);
    default:
      return [];
  }
}
