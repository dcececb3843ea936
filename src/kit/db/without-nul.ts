/** PostgreSQL's texts have no NUL, and in SQLite's queries for words it ends the query: both get the sign for what is unknown. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
