import { type Evaluator, type Goal, isRate, labelsOf, rateOf } from './schema/evaluators.ts';
import type { EvaluatorStatistics, GoalResult, GoalResults } from './schema/results.ts';
import type { Statistics } from './statistics.ts';

/** Whether goals are reached; evaluators without a goal, or without a score, are left out. */
export function toGoalResults(
  evaluators: readonly Evaluator[],
  statistics: Statistics,
  of: 'record' | 'run',
): GoalResults {
  const results = evaluators.flatMap(({ name, direction, goal, aggregate_goal }): [string, GoalResult][] => {
    const asked = of === 'run' ? (aggregate_goal ?? goal) : goal;
    const found = statistics[name];
    const result = asked && found && judgeGoal(asked, found, direction);
    return result ? [[name, result]] : [];
  });
  return Object.fromEntries(results);
}

export function hasPassed(results: GoalResults): boolean | null {
  const all = Object.values(results);
  return all.length === 0 ? null : all.every(({ passed }) => passed === true);
}

function judgeGoal(goal: Goal, found: EvaluatorStatistics, direction: Evaluator['direction']): GoalResult | undefined {
  const metric = isRate(goal) ? 'rate' : (goal.metric ?? 'avg');
  const actual = actualOf(goal, metric, found);
  if (actual === null) return undefined;
  const target = isRate(goal) ? rateOf(goal) : Number(goal.value ?? 0);
  const [min, max] = [goal.min ?? Number.NEGATIVE_INFINITY, goal.max ?? Number.POSITIVE_INFINITY];
  const operator = isRate(goal) && goal.operator !== 'between' ? 'gte' : goal.operator;
  const passed = operator === 'between' ? actual >= min && actual <= max : compare(operator, actual, target);
  const item = {
    metric,
    operator,
    actual,
    passed,
    target: operator === 'between' ? null : target,
    target_min: goal.min ?? null,
    target_max: goal.max ?? null,
    direction: direction === 'maximize' ? ('higher_is_better' as const) : ('lower_is_better' as const),
  };
  return { passed, results: [item] };
}

function actualOf(goal: Goal, metric: string, found: EvaluatorStatistics): number | null {
  if (metric !== 'rate') return found.type === 'numeric' ? found[metric as 'avg'] : null;
  if (found.type !== 'categorical' || found.count === 0) return null;
  const good = labelsOf(goal).reduce((sum, label) => sum + (found.frequencies[label] ?? 0), 0);
  return good / found.count;
}

function compare(operator: Goal['operator'], actual: number, target: number): boolean {
  switch (operator) {
    case 'gt':
      return actual > target;
    case 'lte':
      return actual <= target;
    case 'lt':
      return actual < target;
    case 'eq':
      return actual === target;
    default:
      return actual >= target;
  }
}
