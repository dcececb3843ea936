type Named = { first_name: string | null; last_name: string | null };

export function formatName({ first_name, last_name }: Named): string | null {
  return [first_name, last_name].filter(Boolean).join(' ') || null;
}
