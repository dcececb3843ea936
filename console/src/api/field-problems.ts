import { ApiError } from './api-error.ts';

type Split<F extends string> = {
  /** What is wrong, by the input that shows it. */
  byField: Partial<Record<F, string>>;
  /** The error as far as no input shows it; undefined when they show all of it. */
  rest: unknown;
};

/** Splits an error into what stands beside inputs and what does not. `fields`: the request's field → the form's input. */
export function fieldProblems<F extends string>(error: unknown, fields: Readonly<Record<string, F>>): Split<F> {
  if (!(error instanceof ApiError)) return { byField: {}, rest: error };
  // A model that is not served is a 400 about one field.
  const problems =
    error.code === '1500' && 'model' in fields
      ? [{ field: 'model', message: 'This model is not served. Choose another.' }]
      : error.problems;
  const byField: Partial<Record<F, string>> = {};
  for (const { field, message } of problems) {
    const input = fields[field] ?? fields[field.split('.')[0] ?? ''];
    if (input !== undefined) byField[input] ??= message;
  }
  const isAllShown =
    problems.length > 0 &&
    problems.every(({ field }) => (fields[field] ?? fields[field.split('.')[0] ?? '']) !== undefined);
  return { byField, rest: isAllShown ? undefined : error };
}
