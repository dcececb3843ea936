/** Messages of the server's checks, in words for people who fill in a form. */
const WORDS: [pattern: RegExp, words: (found: string) => string][] = [
  [/^String should match pattern/, () => 'This has characters that are not allowed here.'],
  [/^String should have at most (\d+) character/, (count) => `Use at most ${count} characters.`],
  [/^String should have at least (\d+) character/, (count) => `Use at least ${count} characters.`],
  [/^List should have at most (\d+) item/, (count) => `Choose at most ${count}.`],
  [/^(?:Field required|Input should not be null)/, () => 'Enter a value.'],
  [/^Extra inputs are not permitted/, () => 'The server does not know this.'],
];

export function inWords(message: string): string {
  for (const [pattern, words] of WORDS) {
    const found = pattern.exec(message);
    if (found) return words(found[1] ?? '');
  }
  return message;
}
