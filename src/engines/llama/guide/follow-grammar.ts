import { type CharacterSet, fromRanges, NONE } from '../grammar/one-way/character-set.ts';
import { createBuilder, type Expression } from '../grammar/one-way/expression.ts';
import { type Beginning, createLookAhead } from '../grammar/one-way/look-ahead.ts';
import { readGbnf } from '../grammar/one-way/read-gbnf.ts';

/** What is still to come, first part first; undefined is the end of the answer. */
export type Place = { part: Part; rest: Place } | undefined;

type Part = Expression | Repeating;
/** A repetition that has been begun: how often its body must, and may, still come. */
type Repeating = { kind: 'repeating'; body: Expression; min: number; max: number };

export type Follower = {
  start: Place;
  /** The place after a character; 'none' where the grammar does not allow it. */
  advance(place: Place, code: number): Place | 'none';
  /** The characters that may come next, and whether the answer may end instead. */
  next(place: Place): { characters: CharacterSet; mayEnd: boolean };
};

const PARTS_MAX = 60_000;

/**
 * Follows a grammar character by character. It relies on what `makeOneWay` leaves over: each next character belongs to one
 * alternative only, so a place is a list and never a set of lists.
 */
export function createFollower(gbnf: string): Follower {
  const rules = readGbnf(gbnf, createBuilder(PARTS_MAX));
  const ahead = createLookAhead(rules);
  const beginningOf = (part: Part): Beginning => {
    if (part.kind !== 'repeating') return ahead.of(part);
    if (part.max === 0) return { first: NONE, isNullable: true };
    const { first, isNullable } = ahead.of(part.body);
    return { first, isNullable: isNullable || part.min === 0 };
  };

  function advance(from: Place, code: number): Place | 'none' {
    let place = from;
    while (place) {
      const { part, rest }: { part: Part; rest: Place } = place;
      if (part.kind === 'character') return includes(part.set, code) ? rest : 'none';
      const { first, isNullable } = beginningOf(part);
      if (includes(first, code)) place = open(part, rest, code);
      else if (isNullable) place = rest;
      else return 'none';
    }
    return 'none';
  }

  /** One level deeper, along the way that the character takes. */
  function open(part: Exclude<Part, { kind: 'character' }>, rest: Place, code: number): Place {
    switch (part.kind) {
      case 'sequence':
        return { part: part.head, rest: { part: part.tail, rest } };
      case 'either': {
        const taken = part.options.find((option) => includes(ahead.of(option).first, code));
        return taken ? { part: taken, rest } : rest;
      }
      case 'repeat':
      case 'repeating': {
        const left: Repeating = {
          kind: 'repeating',
          body: part.body,
          min: Math.max(0, part.min - 1),
          max: part.max - 1,
        };
        return { part: part.body, rest: { part: left, rest } };
      }
      case 'rule': {
        const body = rules.get(part.name);
        return body ? { part: body, rest } : rest;
      }
      case 'empty':
        return rest;
    }
  }

  const root = rules.get('root');
  return {
    start: root ? { part: root, rest: undefined } : undefined,
    advance,
    next(place) {
      if (place && !beginningOf(place.part).isNullable)
        return { characters: beginningOf(place.part).first, mayEnd: false };
      const ranges: [number, number][] = [];
      for (let at = place; at; at = at.rest) {
        const { first, isNullable } = beginningOf(at.part);
        for (let i = 0; i < first.length; i += 2) ranges.push([first[i] ?? 0, first[i + 1] ?? 0]);
        if (!isNullable) return { characters: fromRanges(ranges), mayEnd: false };
      }
      return { characters: fromRanges(ranges), mayEnd: true };
    },
  };
}

function includes(set: CharacterSet, code: number): boolean {
  let low = 0;
  let high = set.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (code < (set[2 * middle] ?? 0)) high = middle - 1;
    else if (code > (set[2 * middle + 1] ?? 0)) low = middle + 1;
    else return true;
  }
  return false;
}

export function countCharacters(set: CharacterSet): number {
  let count = 0;
  for (let i = 0; i < set.length; i += 2) count += (set[i + 1] ?? 0) - (set[i] ?? 0) + 1;
  return count;
}
