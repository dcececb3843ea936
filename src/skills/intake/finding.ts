export const intakeRules = [
  'network-to-shell',
  'encoded-payload',
  'native-program',
  'raw-address-url',
  'hidden-unicode',
] as const;
export type IntakeRule = (typeof intakeRules)[number];

/** Something in a skill that should be reviewed before anyone runs it. */
export type Finding = {
  rule: IntakeRule;
  /** `description`, `body`, or `assets/<path>`. */
  file: string;
  /** From 1; 0 for the file's name and for binary files. */
  line: number;
};

/** Returns the numbers of the lines with a finding. */
export type LineRule = (lines: LogicalLine[]) => number[];

/** A line joined with its continuation lines, so rules see whole commands. */
export type LogicalLine = { text: string; line: number };
