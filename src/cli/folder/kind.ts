/** Who sees an object; in a folder the private ones lie apart. */
export type Sharing = 'private' | 'workspace';

export type FileContent = { bytes: Buffer; isExecutable: boolean };

/** Files by their path below some folder, separated by '/'. */
export type Files = Map<string, FileContent>;

/** An object of a registry at one of its versions, as the API shows it. */
export type RemoteObject<D = unknown> = {
  id: string;
  name: string;
  sharingScope: Sharing;
  latestVersion: number;
  title?: string;
  description?: string;
  version: number;
  definition: D;
  notes: string;
  aliases: string[];
};

export type RemoteVersion<D = unknown> = Pick<RemoteObject<D>, 'version' | 'definition' | 'notes' | 'aliases'>;

/** What one version says about itself in a folder; what is absent is left as it is on the server. */
export type LocalVersion<D = unknown> = {
  /** The name in its own front matter. */
  name: string;
  /** What to name in a message. */
  place: string;
  notes?: string | undefined;
  aliases?: string[] | undefined;
  title?: string | undefined;
  description?: string | undefined;
  model?: string | undefined;
  /** What was read and cannot be kept. */
  warnings: string[];
  loadDefinition(): Promise<D>;
};

/** What differs between prompts, skills and whatever else has versions. */
export type Kind<D = unknown> = {
  noun: string;
  /** The folder of an export, and the last part of the API's path. */
  folder: string;
  /** The files of one version under its label (`NAME`, `NAME@alias`, `NAME@3`). Fields of the object go with its newest. */
  write(object: RemoteObject<D>, label: string): Files;
  /** Labels found among the entries of the kind's folder. */
  labelOf(entry: { name: string; isFolder: boolean }): string | undefined;
  read(folder: string, label: string): Promise<LocalVersion<D>>;
  /** Whether a listed version may be this definition; lists carry no assets. */
  mayEqual(listed: D, wanted: D): boolean;
  equals(read: D, wanted: D): boolean;
};
