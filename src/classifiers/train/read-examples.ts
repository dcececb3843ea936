import { z } from 'zod';
import { renderChat } from '../render-chat.ts';

const LABEL_CHARACTERS_MAX = 200;
const LABELS_MAX = 500;
const TARGETS_MAX = 16;
const EXAMPLES_MAX = 200_000;
/** Fewer cannot be learnt from and measured at the same time. */
const EXAMPLES_PER_LABEL_MIN = 4;
const SHOWN_MAX = 5;
/** The target of examples that have one `label` only. */
const ONLY_TARGET = 'label';

const name = z
  .string()
  .trim()
  .min(1)
  .max(LABEL_CHARACTERS_MAX)
  .refine((text) => text !== '__proto__', 'This name is reserved');
const label = z.union([name, z.array(name)]);
const message = z.object({ role: z.string(), content: z.unknown() });

/** One line of the file. */
const Line = z.union([
  z.strictObject({ text: z.string().min(1), label }),
  z.strictObject({ text: z.string().min(1), labels: z.record(name, label) }),
  z.strictObject({ messages: z.array(message).min(1), label }),
  z.strictObject({ messages: z.array(message).min(1), labels: z.record(name, label) }),
]);

const EXPECTED =
  'Expected {"text": "…", "label": "…"} or {"text": "…", "labels": {"target": "label"}}, with "messages": [{"role": …, "content": …}] instead of "text" for conversations';

/** A text and, by target, the labels that apply to it. */
export type Example = { text: string; labels: Record<string, string[]> };

/** What the examples decide: a target with lists of labels takes any number of them. */
export type TargetPlan = { name: string; labels: string[]; loss_function: 'single_class' | 'multi_class' };

/** Thrown with a sentence that names the line. */
export class ExamplesInvalid extends Error {}

/** Examples from the text of a JSONL file. Every example has every target. */
export function readExamples(
  jsonl: string,
  examplesMax = EXAMPLES_MAX,
): { examples: Example[]; targets: TargetPlan[] } {
  const examples: Example[] = [];
  const lists = new Set<string>();
  for (const [index, line] of jsonl.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = Line.safeParse(parse(line, index + 1));
    if (!parsed.success) throw new ExamplesInvalid(`Line ${index + 1} is not an example. ${EXPECTED}.`);
    const { data } = parsed;
    const given = 'labels' in data ? data.labels : { [ONLY_TARGET]: data.label };
    const text = 'text' in data ? data.text : renderChat(data.messages);
    if (text.trim() === '') throw new ExamplesInvalid(`Line ${index + 1} has no text.`);
    for (const [target, value] of Object.entries(given)) if (Array.isArray(value)) lists.add(target);
    examples.push({
      text,
      labels: Object.fromEntries(
        Object.entries(given).map(([target, value]) => [target, [...new Set([value].flat())]]),
      ),
    });
    if (examples.length > examplesMax) throw new ExamplesInvalid(`At most ${examplesMax} examples are used.`);
  }
  if (examples.length === 0) throw new ExamplesInvalid(`There are no examples. ${EXPECTED}.`);
  return { examples, targets: planTargets(examples, lists) };
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new ExamplesInvalid(`Line ${number} is not JSON.`);
  }
}

function planTargets(examples: readonly Example[], lists: ReadonlySet<string>): TargetPlan[] {
  const names = Object.keys(examples[0]?.labels ?? {});
  if (names.length === 0 || names.length > TARGETS_MAX)
    throw new ExamplesInvalid(`An example has from 1 to ${TARGETS_MAX} targets, not ${names.length}.`);
  for (const [index, { labels }] of examples.entries())
    if (Object.keys(labels).length !== names.length || !names.every((target) => Object.hasOwn(labels, target)))
      throw new ExamplesInvalid(
        `Example ${index + 1} has other targets than the first one, which has ${names.join(', ')}.`,
      );
  return names.map((target) => planTarget(target, examples, lists.has(target)));
}

function planTarget(target: string, examples: readonly Example[], isList: boolean): TargetPlan {
  const counts = new Map<string, number>();
  for (const { labels } of examples)
    for (const one of labels[target] ?? []) counts.set(one, (counts.get(one) ?? 0) + 1);
  const labels = [...counts.keys()].sort();
  if (labels.length < (isList ? 1 : 2) || labels.length > LABELS_MAX)
    throw new ExamplesInvalid(
      `The target ${target} has ${labels.length} labels; from 2 to ${LABELS_MAX} are possible.`,
    );
  const rare = labels.filter((one) => (counts.get(one) ?? 0) < EXAMPLES_PER_LABEL_MIN);
  if (rare.length > 0)
    throw new ExamplesInvalid(
      `A label needs at least ${EXAMPLES_PER_LABEL_MIN} examples. Too few have: ${rare.slice(0, SHOWN_MAX).join(', ')}.`,
    );
  return { name: target, labels, loss_function: isList ? 'multi_class' : 'single_class' };
}
