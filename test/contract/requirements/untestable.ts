/** Promises of the specification that no test can verify, each with the reason. */
export const untestable: { id: string; place: string; why: string }[] = [
  {
    id: 'UNTESTABLE-BETA-PROSE',
    place: 'Versioning: 2',
    why: 'Being beta is a remark to readers; only the tags in the interface description can be tested, and they are.',
  },
  {
    id: 'UNTESTABLE-NOT-SHOWN',
    place: 'every line that ends in "not shown"',
    why: 'It promises nothing; where a decision fills the hole, the decision is the requirement.',
  },
  {
    id: 'UNTESTABLE-OPAQUE-IDS',
    place: 'Resources and fields',
    why: 'Treating ids as opaque is advice to callers.',
  },
  {
    id: 'UNTESTABLE-BOOLEAN-LIKE',
    place: 'Resources: Workflows',
    why: 'The text form of boolean-like fields is unconfirmed; the wire twins hold them to booleans.',
  },
  {
    id: 'UNTESTABLE-TYPE-SPELLING',
    place: 'Resources: Model cards, type',
    why: 'The capital TYPE is a slip of one sample answer, not a key that clients read.',
  },
  {
    id: 'UNTESTABLE-STRICT-PARSERS',
    place: 'Events: 3',
    why: 'That strict parsers must tolerate p binds clients, not the service.',
  },
  {
    id: 'UNTESTABLE-412',
    place: 'decisions: Error bodies, inference family',
    why: 'No promised endpoint answers 412.',
  },
  {
    id: 'UNTESTABLE-BATCH',
    place: 'Versioning: 5',
    why: 'Batch appears only in the release history; its endpoints and fields are not specified.',
  },
  {
    id: 'UNTESTABLE-EMBEDDING-DOCS',
    place: 'decisions: Embeddings',
    why: 'That the docs mention windows and averaging is prose; the averaging itself is a requirement.',
  },
];
