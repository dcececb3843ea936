const EMAIL = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,190}$/;

/** The address as it is stored; undefined when it is none. */
export function parseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return EMAIL.test(email) ? email : undefined;
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
