import type { ApiClient } from '../shell/api-client.ts';

/** The visibility of an object; in a folder, private objects have their own subfolder. */
export type Sharing = 'private' | 'workspace';

export type FileContent = { bytes: Buffer; isExecutable: boolean };

/** Files by relative path, with '/' as the separator. */
export type Files = Map<string, FileContent>;

/** A version as returned by the API. */
export type RemoteVersion<D = unknown> = { version: number; definition: D; notes?: string; aliases: string[] };

/** An object at one of its versions. */
export type RemoteObject<D = unknown> = RemoteVersion<D> & {
  id: string;
  name: string;
  sharingScope: Sharing;
  workspaceRelation?: string;
  latestVersion: number;
  title?: string;
  description?: string;
};

/** A version in a folder; fields that it leaves out are not changed on the server. */
export type LocalVersion<D = unknown> = {
  name: string;
  /** The file path to show in messages. */
  source: string;
  notes?: string | undefined;
  aliases?: string[] | undefined;
  /** Fields of the whole object; those of the latest version apply. */
  fields: Record<string, string>;
  /** About content that the registry cannot store. */
  warnings: string[];
  loadDefinition(): Promise<D>;
};

/** How one kind of versioned object maps to files. */
export type Kind<D = unknown> = {
  noun: string;
  /** The folder in an export, and the last segment of the API path. */
  folder: string;
  /** The fields of the whole object that are set. */
  readFields(api: ApiClient, object: RemoteObject<D>): Promise<Record<string, string>>;
  /** Updates the fields on the server from `before` to `fields`. */
  writeFields(
    api: ApiClient,
    id: string,
    fields: Record<string, string>,
    before: Record<string, string>,
  ): Promise<void>;
  /** The files of one version under its label (`NAME`, `NAME@alias`, `NAME@3`). */
  toFiles(name: string, version: RemoteVersion<D>, label: string, fields: Record<string, string>): Files;
  /** The label of a folder entry, if it is of this kind. */
  labelOf(entry: { name: string; isFolder: boolean }): string | undefined;
  read(folder: string, label: string): Promise<LocalVersion<D>>;
  /** A cheap check against a list entry, which may be incomplete. */
  mayEqual(listed: D, wanted: D): boolean;
  equals(read: D, wanted: D): boolean;
};
