const EMAIL = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,190}$/;

/** In the one spelling that is kept; undefined when it is no address. */
export function readEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return EMAIL.test(email) ? email : undefined;
}

/** Several addresses of one text, between commas, semicolons or line breaks; each once, in the order given. */
export function splitEmails(text: string): { emails: string[]; invalid: string[] } {
  const given = text
    .split(/[,;\r\n]+/)
    .map((part) => part.trim())
    .filter(Boolean);
  const emails = new Set<string>();
  const invalid = new Set<string>();
  for (const part of given) {
    const email = readEmail(part);
    if (email === undefined) invalid.add(part);
    else emails.add(email);
  }
  return { emails: [...emails], invalid: [...invalid] };
}
