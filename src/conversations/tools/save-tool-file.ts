import type { FileService } from '../../files/index.ts';
import type { SaveFile } from './image-generation.ts';

/** Stores the files that tools produce as files of the caller. */
export function createFileSaver(files: Pick<FileService, 'create'>): SaveFile {
  return async (caller, { name, mimetype, bytes }) => {
    const attributes = {
      filename: name,
      mimetype,
      purpose: 'ocr',
      sample_type: 'pretrain',
      source: 'mistral',
      visibility: 'user',
    } as const;
    async function* content() {
      yield bytes;
    }
    return (await files.create(caller, attributes, content())).id;
  };
}
