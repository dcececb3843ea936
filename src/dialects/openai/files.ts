import { type FileFilter, FilePurpose, type FileSchema, SampleType } from '../../files/index.ts';
import type { OpenAiFile, OpenAiFileUpload } from '../schema/openai.ts';

/** `file-` and the digits of the UUID. */
export function openAiFileId(id: string): string {
  return `file-${id.replaceAll('-', '')}`;
}

/** Files for models to read have one purpose here. */
export function toPurpose(purpose: OpenAiFileUpload['purpose']): FileSchema['purpose'] {
  return purpose === 'batch' || purpose === 'fine-tune' ? purpose : 'ocr';
}

export function renderFile(file: FileSchema): OpenAiFile {
  return {
    id: openAiFileId(file.id),
    object: 'file',
    bytes: file.bytes,
    created_at: file.created_at,
    expires_at: file.expires_at ?? null,
    filename: file.filename,
    purpose: purposeOf(file),
    status: 'processed',
    status_details: null,
  };
}

const RESULTS = ['batch_result', 'batch_error'] as const;
const OTHERS = SampleType.options.filter((type) => !RESULTS.some((result) => result === type));

/** The files that `renderFile` shows with this purpose; undefined when it shows none. */
export function toFilter(purpose: string | undefined): Pick<FileFilter, 'purpose' | 'sample_type'> | undefined {
  if (purpose === undefined) return {};
  if (purpose === 'batch_output') return { sample_type: [...RESULTS] };
  const stored = FilePurpose.safeParse(purpose === 'user_data' ? 'ocr' : purpose);
  return stored.success && purpose !== 'ocr' ? { purpose: stored.data, sample_type: OTHERS } : undefined;
}

function purposeOf({ purpose, sample_type }: FileSchema): string {
  if (sample_type === 'batch_result' || sample_type === 'batch_error') return 'batch_output';
  return purpose === 'ocr' ? 'user_data' : purpose;
}
