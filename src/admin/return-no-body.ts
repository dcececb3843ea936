/** For answers without a body, which a route tells apart from a forgotten one. */
export async function nothing(work: Promise<void>): Promise<undefined> {
  await work;
  return undefined;
}
