/** What the other side has of the folder. */
export type Known = { id: string; path: string; sha256: string };

type Local = { path: string; sha256: string };

export type Plan = {
  /** `replaces` is what stood at this path before. */
  add: (Local & { replaces?: string })[];
  move: (Known & { to: string })[];
  /** Neither its content nor its path is in the folder any more. */
  gone: Known[];
  /** Has the content of another file. */
  doubles: { path: string; of: string }[];
  same: number;
};

/** `elsewhere` are contents that the other side has from somebody else; they are left alone. */
export function planSync(local: readonly Local[], known: readonly Known[], elsewhere: ReadonlySet<string>): Plan {
  const plan: Plan = { add: [], move: [], gone: [], doubles: [], same: 0 };
  const shaAt = new Map(local.map(({ path, sha256 }) => [path, sha256]));
  const byContent = new Map(known.map((one) => [one.sha256, one]));
  const chosen = new Map<string, string>();
  // Where a content has stood before it stays, if it is still there.
  for (const { path, sha256 } of known) if (shaAt.get(path) === sha256) chosen.set(sha256, path);
  for (const { path, sha256 } of local) if (!chosen.has(sha256)) chosen.set(sha256, path);

  const outdated = known.filter(({ sha256 }) => !chosen.has(sha256));
  const outdatedAt = new Map(outdated.map((one) => [one.path, one]));
  for (const { path, sha256 } of local) {
    const first = chosen.get(sha256) as string;
    const there = byContent.get(sha256);
    if (path !== first) plan.doubles.push({ path, of: first });
    else if (there && there.path !== path) plan.move.push({ ...there, to: path });
    else if (there || elsewhere.has(sha256)) plan.same++;
    else {
      const replaces = outdatedAt.get(path)?.id;
      plan.add.push({ path, sha256, ...(replaces === undefined ? {} : { replaces }) });
    }
  }
  const replaced = new Set(plan.add.flatMap(({ replaces }) => replaces ?? []));
  plan.gone = outdated.filter(({ id }) => !replaced.has(id));
  return plan;
}
