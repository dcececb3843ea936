/** Waiting work by caller, in the order of their turns. */
const waiting = new Map<string, (() => void)[]>();
let nameCaller = () => '';

/** Who asks for a turn, as far as that is known where the turn is asked for. */
export function nameCallers(name: () => string): void {
  nameCaller = name;
}

/**
 * Resolves in a round of the event loop that no other caller of this function shares. Work on large values asks for one
 * before each step: many readers at once then delay others no longer than one. Callers take turns, so that nobody waits
 * for all the work of somebody else.
 */
export function ownTurn(caller = nameCaller()): Promise<void> {
  return new Promise((begin) => {
    const line = waiting.get(caller);
    if (line) line.push(begin);
    else waiting.set(caller, [begin]);
    if (waiting.size === 1 && !line) setImmediate(beginNext);
  });
}

function beginNext(): void {
  const [next] = waiting;
  if (!next) return;
  const [caller, line] = next;
  waiting.delete(caller);
  line.shift()?.();
  if (line.length > 0) waiting.set(caller, line);
  if (waiting.size > 0) setImmediate(beginNext);
}
