import type { ApiClient } from '../shell/api-client.ts';

/** Who sees an object; in a folder the private ones lie apart. */
export type Sharing = 'private' | 'workspace';

export type FileContent = { bytes: Buffer; isExecutable: boolean };

/** Files by their path below some folder, separated by '/'. */
export type Files = Map<string, FileContent>;

/** One version, as the API shows it. */
export type RemoteVersion<D = unknown> = { version: number; definition: D; notes?: string; aliases: string[] };

/** An object of a registry at one of its versions. */
export type RemoteObject<D = unknown> = RemoteVersion<D> & {
  id: string;
  name: string;
  sharingScope: Sharing;
  latestVersion: number;
  title?: string;
  description?: string;
};

/** One version in a folder; what it does not say is left as it is on the server. */
export type LocalVersion<D = unknown> = {
  /** The name in its own front matter. */
  name: string;
  /** What to name in a message. */
  place: string;
  notes?: string | undefined;
  aliases?: string[] | undefined;
  /** Fields of the object as a whole; those of its newest version count. */
  fields: Record<string, string>;
  /** What was read and cannot be kept. */
  warnings: string[];
  loadDefinition(): Promise<D>;
};

/** What differs between prompts, skills and whatever else has versions. */
export type Kind<D = unknown> = {
  noun: string;
  /** The folder of an export, and the last part of the API's path. */
  folder: string;
  /** The fields of the object as a whole that a folder keeps, where they are set. */
  readFields(api: ApiClient, object: RemoteObject<D>): Promise<Record<string, string>>;
  /** Makes the server's fields, which are `before`, those of the folder. */
  writeFields(
    api: ApiClient,
    id: string,
    fields: Record<string, string>,
    before: Record<string, string>,
  ): Promise<void>;
  /** The files of one version under its label (`NAME`, `NAME@alias`, `NAME@3`). */
  toFiles(name: string, version: RemoteVersion<D>, label: string, fields: Record<string, string>): Files;
  /** The label of an entry of the kind's folder, if it is one. */
  labelOf(entry: { name: string; isFolder: boolean }): string | undefined;
  read(folder: string, label: string): Promise<LocalVersion<D>>;
  /** Whether a listed version may be this definition; lists may leave something out. */
  mayEqual(listed: D, wanted: D): boolean;
  equals(read: D, wanted: D): boolean;
};
