const waiting: (() => void)[] = [];

/**
 * Resolves in a round of the event loop that no other caller of this function shares. Work on large values asks for one
 * before each step: many readers at once then delay others no longer than one.
 */
export function ownTurn(): Promise<void> {
  return new Promise((begin) => {
    waiting.push(begin);
    if (waiting.length === 1) setImmediate(beginNext);
  });
}

function beginNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(beginNext);
}
