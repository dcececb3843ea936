import { answer } from '../../bench/processes/answer.ts';
import { attacks, prepareAttacker } from '../neighbours/attack.ts';
import type { AttackOrder } from '../neighbours/send.ts';

// A tenant that keeps to the rules and harms its neighbours as far as they allow, in a process of its own.
answer({
  prepare: (order: AttackOrder) => prepareAttacker(order),
  attack: ({ name, order }: { name: string; order: AttackOrder }) => attacks[name]?.(order),
});
