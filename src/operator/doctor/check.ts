/** One line of the doctor's report; a warning or failure says how to fix it. */
export type Check =
  | { name: string; status: 'ok'; what: string }
  | { name: string; status: 'warn' | 'fail'; what: string; fix: string };

export function ok(name: string, what: string): Check {
  return { name, status: 'ok', what };
}

export function warn(name: string, what: string, fix: string): Check {
  return { name, status: 'warn', what, fix };
}

export function fail(name: string, what: string, fix: string): Check {
  return { name, status: 'fail', what, fix };
}
