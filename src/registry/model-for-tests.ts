import { canonicalJson } from '../kit/base/canonical-json.ts';

type ModelVersion = { definition: unknown; notes: string };
type ModelObject = {
  name: string;
  shared: boolean;
  owner: string;
  versions: ModelVersion[];
  aliases: Map<string, number>;
};

/** The guarantees of the registry in the simplest form: arrays in memory, one step at a time. */
export class Model {
  readonly objects: ModelObject[] = [];

  visible(user: string): ModelObject[] {
    return this.objects.filter(({ shared, owner }) => shared || owner === user);
  }

  find(user: string, name: string): ModelObject | undefined {
    const named = this.visible(user).filter((object) => object.name === name);
    return named.find(({ shared }) => !shared) ?? named[0];
  }

  isTaken(name: string, shared: boolean, owner: string): boolean {
    return this.objects.some(
      (other) => other.name === name && other.shared === shared && (shared || other.owner === owner),
    );
  }

  create(owner: string, name: string, shared: boolean, definition: unknown, aliases: string[]): boolean {
    if (this.isTaken(name, shared, owner)) return false;
    const versions = [{ definition, notes: '' }];
    this.objects.push({ name, shared, owner, versions, aliases: new Map(aliases.map((alias) => [alias, 1])) });
    return true;
  }

  addVersion(object: ModelObject, definition: unknown, notes: string | undefined, aliases: string[]) {
    const known = object.versions.findIndex((old) => canonicalJson(old.definition) === canonicalJson(definition));
    const deduplicated = known !== -1;
    if (!deduplicated) object.versions.push({ definition, notes: notes ?? '' });
    const version = deduplicated ? known + 1 : object.versions.length;
    const entry = object.versions[version - 1];
    if (entry && notes !== undefined) entry.notes = notes;
    for (const alias of aliases) object.aliases.set(alias, version);
    return { version, deduplicated };
  }

  setAliases(object: ModelObject, version: number, aliases: string[]): void {
    for (const [alias, at] of object.aliases) if (at === version) object.aliases.delete(alias);
    for (const alias of aliases) object.aliases.set(alias, version);
  }

  share(object: ModelObject, shared: boolean): boolean {
    if (object.shared === shared) return true;
    if (this.isTaken(object.name, shared, object.owner)) return false;
    object.shared = shared;
    return true;
  }

  remove(object: ModelObject): void {
    this.objects.splice(this.objects.indexOf(object), 1);
  }

  aliasesOf(object: ModelObject, version: number): string[] {
    return [...object.aliases]
      .filter(([, at]) => at === version)
      .map(([alias]) => alias)
      .sort();
  }
}
