import { createContext, Script } from 'node:vm';
import { type Budget, SPENT } from '../budget.ts';
import { TooExpensive } from '../refusals.ts';

/** Compiling cannot be interrupted, so it is bounded by the size. */
const SIZE_MAX = 2000;

/** Back references cannot be matched in linear time. A context with a time limit can at least be stopped. */
export function prepareTimed(source: string, isUnicode: boolean, size: number) {
  if (size > SIZE_MAX || /\\[pP]\{/.test(source)) throw new TooExpensive();
  const expression = new RegExp(source, isUnicode ? 'u' : '');
  let isSlow = false;
  return (text: string, budget: Budget): boolean => {
    // Once too slow, always refused: the next try would cost as much.
    if (isSlow || budget.timedMs < 1) throw SPENT;
    pad.context ??= createContext(pad.values);
    pad.values.expression = expression;
    pad.values.text = text;
    const before = performance.now();
    try {
      return RUN.runInContext(pad.context, { timeout: Math.floor(budget.timedMs) }) === true;
    } catch {
      isSlow = true;
      throw SPENT;
    } finally {
      budget.timedMs -= performance.now() - before;
      pad.values.text = '';
    }
  };
}

const RUN = new Script('expression.test(text)');
const pad: { values: { expression?: RegExp; text?: string }; context?: object } = { values: {} };
