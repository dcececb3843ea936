/** Without invisible characters, and without the Kelvin sign, which becomes a plain k in lower case. */
const EMAIL = /^[^\s\p{C}\u212a@,;<>"]{1,64}@[^\s\p{C}\u212a@,;<>"]{1,190}$/u;

/** The address as it is stored; undefined when it is none. */
export function parseEmail(text: string): string | undefined {
  const email = text.trim();
  return EMAIL.test(email) ? email.toLowerCase() : undefined;
}

/** The addresses of a text, separated by commas, semicolons or line breaks; each once, in the given order. */
export function parseEmails(text: string): { emails: string[]; invalid: string[] } {
  const given = text
    .split(/[,;\r\n]+/)
    .map((part) => part.trim())
    .filter(Boolean);
  const emails = new Set<string>();
  const invalid = new Set<string>();
  for (const part of given) {
    const email = parseEmail(part);
    if (email === undefined) invalid.add(part);
    else emails.add(email);
  }
  return { emails: [...emails], invalid: [...invalid] };
}
