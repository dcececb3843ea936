/**
 * Events of one origin differ in few values, so what they have in common is stored once: the JSON of all of them, with marks for
 * their type and up to three values. Marks are characters that JSON escapes, so that nothing else can be taken for one. The
 * view `events` puts the values in as well.
 */
const TYPE = '\u0001';
const VALUES = ['\u0002', '\u0003', '\u0004'] as const;
const MARKS = /"(\w+)":(\p{Cc})/gu;

/** `type` and `values` are the names of the members that differ. */
export function makeForm(
  common: Record<string, unknown>,
  differing: { type: string; values: readonly [string, string?, string?] },
): string {
  const members = JSON.stringify(common).slice(1, -1);
  const marks = [`"${differing.type}":${TYPE}`, ...differing.values.map((name, i) => `"${name}":${VALUES[i]}`)];
  return `{${members}${members && ','}${marks.join()}}`;
}

type Fill = (type: string, values: readonly unknown[]) => object;

/** Neighbours mostly have the same form, which is then read once. */
export function createFiller(): (form: string, type: string, values: readonly unknown[]) => object {
  let known: { form: string; fill: Fill } | undefined;
  return (form, type, values) => {
    if (known?.form !== form) known = { form, fill: form.startsWith('{') ? fillForm(form) : addMembers(form) };
    return known.fill(type, values);
  };
}

function fillForm(form: string): Fill {
  const places: [name: string, value: number][] = [];
  const text = form.replace(MARKS, (_, name: string, mark: string) => {
    places.push([name, VALUES.indexOf(mark as (typeof VALUES)[number])]);
    return `"${name}":null`;
  });
  const common = JSON.parse(text) as object;
  return (type, values) => {
    const filled: Record<string, unknown> = { ...common };
    for (const [name, value] of places) filled[name] = value < 0 ? type : values[value];
    return filled;
  };
}

/** Before there were forms: members that all begin with, a comma after each, and the others as an object. */
function addMembers(members: string): Fill {
  const common = JSON.parse(`{${members.slice(0, -1)}}`) as object;
  return (_, [own]) => ({ ...common, ...(own as object) });
}
