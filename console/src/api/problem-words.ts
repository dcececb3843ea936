/** Messages of the server's checks, in words for people who fill in a form. */
const WORDS: [pattern: RegExp, words: (found: string, second: string) => string][] = [
  [/^String should match pattern/, () => 'This has characters that are not allowed here.'],
  [/^String should have at most (\d+) character/, (count) => `Use at most ${count} characters.`],
  [/^String should have at least 1 character/, () => 'Enter a value.'],
  [/^String should have at least (\d+) character/, (count) => `Use at least ${count} characters.`],
  [/^(?:List|Tuple|Dictionary) should have at most (\d+) item/, (count) => `Choose at most ${count}.`],
  [/^(?:List|Tuple|Dictionary) should have at least 1 item/, () => 'Choose at least one.'],
  [/^(?:List|Tuple|Dictionary) should have at least (\d+) item/, (count) => `Choose at least ${count}.`],
  [/^(?:Field required|Input should not be null|Input should be a valid string$)/, () => 'Enter a value.'],
  [/^Extra inputs are not permitted/, () => 'The server does not know this.'],
  [/^Input should be greater than or equal to (\S+)/, (bound) => `Use ${bound} or more.`],
  [/^Input should be less than or equal to (\S+)/, (bound) => `Use ${bound} or less.`],
  [/^Input should be greater than (\S+)/, (bound) => `Use more than ${bound}.`],
  [/^Input should be less than (\S+)/, (bound) => `Use less than ${bound}.`],
  [/^Input should be a multiple of (\S+)/, (step) => `Use a multiple of ${step}.`],
  [/^(?:Input should be a valid integer|Unable to parse input string as an integer)/, () => 'Enter a whole number.'],
  [/^Input should be a (?:valid|finite) number/, () => 'Enter a number.'],
  [/^Input should be a valid boolean/, () => 'Choose yes or no.'],
  [/^(?:Input should be a valid UUID|UUID input)/, () => 'This is not an id.'],
  [/^(?:Input should be a valid URL|URL )/, () => 'Enter a whole address, such as https://example.com.'],
  [/^(?:Input should be a valid date|Input should have timezone info|Datetimes provided)/, () => 'Enter a date.'],
  [/^value is not a valid email/i, () => 'Enter a whole e-mail address.'],
  [/^Input should be ((?:'[^']*'(?:, | or )?)+)$/, (choices) => `Choose one of ${choices.replaceAll("'", '')}.`],
  [/^Input should be a valid (?:list|tuple|dictionary)/, () => 'This has not the form that is needed here.'],
  [/^Value error, (.+)$/s, (words) => sentence(words)],
];

export function inWords(message: string): string {
  for (const [pattern, words] of WORDS) {
    const found = pattern.exec(message);
    if (found) return words(found[1] ?? '', found[2] ?? '');
  }
  return sentence(message);
}

/** The server's own words begin small and have no full stop. */
function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
