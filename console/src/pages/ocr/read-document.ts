import type { OCRResponse } from '../../../../src/ocr/schema.ts';
import { api } from '../../api/api.ts';

export type OcrPageResult = OCRResponse['pages'][number];
export type Block = NonNullable<OcrPageResult['blocks']>[number];
export type ReadDocument = {
  name: string;
  /** Its picture, where the document is one. */
  picture: Blob | undefined;
  pages: OcrPageResult[];
};

/** The file is deleted again: it was uploaded to be read only. */
export async function readDocument(file: File, model: string): Promise<ReadDocument> {
  const form = new FormData();
  form.append('purpose', 'ocr');
  form.append('visibility', 'user');
  form.append('expiry', '1');
  form.append('file', file, file.name);
  const { id } = (await (await api.raw('POST', '/v1/files', form)).json()) as { id: string };
  try {
    const { pages } = await api.post<OCRResponse>('/v1/ocr', {
      model,
      document: { type: 'file', file_id: id },
      include_blocks: true,
    });
    return { name: file.name, picture: file.type.startsWith('image/') ? file : undefined, pages };
  } finally {
    // It ends within the hour in any case.
    await api.delete(`/v1/files/${id}`).catch(() => undefined);
  }
}

/** All pages as one Markdown text. */
export const markdownOf = ({ pages }: ReadDocument): string => pages.map(({ markdown }) => markdown).join('\n\n');
