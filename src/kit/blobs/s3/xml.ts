/**
 * The few elements that we need of a store's XML. Our keys are digests below a plain prefix, so nothing of what we read
 * has markup inside; an opaque token may have entities.
 */
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function textOf(xml: string, element: string): string | undefined {
  const start = xml.indexOf(`<${element}>`);
  const end = start < 0 ? -1 : xml.indexOf(`</${element}>`, start);
  return end < 0 ? undefined : unescaped(xml.slice(start + element.length + 2, end));
}

/** The inner XML of each such element; they are not nested. */
export function* elementsOf(xml: string, element: string): Generator<string> {
  const [open, close] = [`<${element}>`, `</${element}>`];
  for (let start = xml.indexOf(open); start >= 0; start = xml.indexOf(open, start)) {
    const end = xml.indexOf(close, start);
    if (end < 0) return;
    yield xml.slice(start + open.length, end);
    start = end;
  }
}

/** Empty where the answer is no error of a store. */
export function codeOfError(xml: string): string {
  return xml.includes('<Error') ? (textOf(xml, 'Code') ?? '') : '';
}

function unescaped(text: string): string {
  return text.replace(/&(#x?[0-9a-fA-F]+|[a-z]+);/g, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
  });
}
