/** The value with only the named fields; a dot reaches into a nested object. Without names, the whole value. */
export function pickFields<T extends object>(value: T, fields: readonly string[] | undefined): Partial<T> {
  if (fields === undefined) return value;
  const picked: Record<string, unknown> = {};
  for (const field of fields) copy(field.split('.'), value as Record<string, unknown>, picked);
  return picked as Partial<T>;
}

/** Whether a response with these fields shows the field or a part of it. */
export function showsField(fields: readonly string[] | undefined, name: string): boolean {
  return fields === undefined || fields.some((field) => field === name || field.startsWith(`${name}.`));
}

function copy([name = '', ...rest]: string[], from: Record<string, unknown>, to: Record<string, unknown>): void {
  const value = from[name];
  if (value === undefined) return;
  if (rest.length === 0) {
    to[name] = value;
    return;
  }
  // The whole field was requested too, and is already copied.
  if (to[name] === value) return;
  to[name] ??= {};
  copy(rest, value as Record<string, unknown>, to[name] as Record<string, unknown>);
}
