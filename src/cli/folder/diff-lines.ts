const CONTEXT_LINES = 3;
/** Beyond this many edits, everything is shown as replaced. */
const EDITS_MAX = 500;

type Edit = { mark: ' ' | '-' | '+'; line: string };

/** A unified diff of two texts without its header lines; empty if they are equal. */
export function diffLines(before: string, after: string): string[] {
  const edits = editsOf(splitLines(before), splitLines(after));
  const hunks: string[] = [];
  for (let start = 0; start < edits.length; ) {
    const first = edits.findIndex(({ mark }, index) => index >= start && mark !== ' ');
    if (first === -1) break;
    let last = first;
    for (let index = first; index < edits.length && index - last <= 2 * CONTEXT_LINES; index++) {
      if (edits[index]?.mark !== ' ') last = index;
    }
    const from = Math.max(start, first - CONTEXT_LINES);
    const to = Math.min(edits.length, last + 1 + CONTEXT_LINES);
    hunks.push(headerOf(edits, from, to), ...edits.slice(from, to).map(({ mark, line }) => `${mark}${line}`));
    start = to;
  }
  return hunks;
}

function headerOf(edits: Edit[], from: number, to: number): string {
  const count = (start: number, end: number, mark: Edit['mark']) =>
    edits.slice(start, end).filter((edit) => edit.mark === ' ' || edit.mark === mark).length;
  const range = (mark: Edit['mark']) => {
    const length = count(from, to, mark);
    return `${count(0, from, mark) + (length === 0 ? 0 : 1)},${length}`;
  };
  return `@@ -${range('-')} +${range('+')} @@`;
}

// A last line without a newline differs from the same line with one.
function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

/** Myers' diff algorithm, after removing the common prefix and suffix. */
function editsOf(before: string[], after: string[]): Edit[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (lines: string[]): Edit[] => lines.map((line) => ({ mark: ' ', line }));
  return [
    ...same(before.slice(0, head)),
    ...shortestScript(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

function shortestScript(a: string[], b: string[]): Edit[] {
  const trace: Map<number, number>[] = [];
  let reach = new Map([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, EDITS_MAX); d++) {
    trace.push(new Map(reach));
    const next = new Map(reach);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, trace, k);
    }
    reach = next;
  }
  return [...a.map((line): Edit => ({ mark: '-', line })), ...b.map((line): Edit => ({ mark: '+', line }))];
}

function walkBack(a: string[], b: string[], trace: Map<number, number>[], lastK: number): Edit[] {
  const edits: Edit[] = [];
  let x = a.length;
  let k = lastK;
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d] ?? new Map<number, number>();
    const down = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const previous = down ? k + 1 : k - 1;
    const start = d === 0 ? 0 : down ? (reach.get(previous) ?? 0) : (reach.get(previous) ?? 0) + 1;
    while (x > start) edits.push({ mark: ' ', line: a[--x] ?? '' });
    if (d === 0) break;
    if (down) edits.push({ mark: '+', line: b[x - previous] ?? '' });
    else edits.push({ mark: '-', line: a[--x] ?? '' });
    k = previous;
  }
  return edits.reverse();
}
