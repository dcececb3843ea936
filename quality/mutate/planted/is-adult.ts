const ADULT_AGE = 18;

/** For the test of the runner: its own test leaves out the age itself. */
export function isAdult(age: number): boolean {
  return age >= ADULT_AGE;
}
