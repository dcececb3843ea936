export const intakeRules = [
  'network-to-shell',
  'encoded-payload',
  'native-program',
  'raw-address-url',
  'hidden-unicode',
] as const;
export type IntakeRule = (typeof intakeRules)[number];

/** Something in a skill that a reviewer should see before anybody runs it. */
export type Finding = {
  rule: IntakeRule;
  /** `description`, `body`, or `assets/` and the path of a file. */
  file: string;
  /** From 1; 0 for the file's name and for what has no lines. */
  line: number;
};

/** What a rule reports about one text: the lines on which it was broken. */
export type LineRule = (text: LogicalLine[]) => number[];

/** A line with those that continue it, so that a command broken over several is seen whole. */
export type LogicalLine = { text: string; line: number };
