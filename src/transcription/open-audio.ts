import type { FileService } from '../files/index.ts';
import { BlobTooLarge } from '../kit/blobs/index.ts';
import { ApiError, type Scope, type Upload } from '../kit/http/index.ts';
import { type Outbound, OutboundError, OutboundTooLarge } from '../kit/outbound/index.ts';
import { transcriptionErrors } from './errors.ts';
import type { AudioTranscriptionRequest } from './schema.ts';
import type { AudioStage, StagedAudio } from './stage-audio.ts';

const OWN_LINK = /^\/v1\/files\/([0-9a-f-]{36})\/download$/i;
const MEBIBYTE = 1024 * 1024;

export type AudioPorts = {
  files: Pick<FileService, 'open' | 'openSigned'>;
  outbound: Pick<Outbound, 'fetch'>;
  stage: AudioStage;
  bytesMax: number;
};

export type OpenedAudio = { file: string; filename: string; discard(): Promise<void> };

type Source = Pick<AudioTranscriptionRequest, 'file_url' | 'file_id'>;

/** Exactly one of the three; before anything else happens. */
export function checkSource({ file_url, file_id }: Source, upload: Upload | undefined): void {
  const given = [upload && 'file', file_url != null && 'file_url', file_id != null && 'file_id'].filter(Boolean);
  if (given.length === 1) return;
  const msg =
    given.length === 0
      ? 'Value error, there is no audio: send one of file, file_url and file_id'
      : `Value error, send only one of ${given.join(' and ')}`;
  throw transcriptionErrors.audio_source_invalid(['body', 'file'], msg, null, { error: {} });
}

/** The audio as a file on disk, wherever it is: sent with the request, a file of the workspace, or at an address. */
export async function openAudio(
  { files, outbound, stage, bytesMax }: AudioPorts,
  scope: Scope,
  { file_url, file_id }: Source,
  upload: Upload<StagedAudio> | undefined,
  signal: AbortSignal,
): Promise<OpenedAudio> {
  if (upload) return { file: upload.content.file, filename: upload.filename, discard: upload.content.discard };
  if (file_id != null) {
    const { file, content } = await files.open(scope, file_id);
    return keep(content.stream(), file.filename);
  }
  const address = new URL(file_url ?? '');
  const filename = decodeName(address.pathname);
  const own = await openOwnLink(address);
  return own ? keep(own, filename) : download(address.href, filename);

  async function keep(content: AsyncIterable<Uint8Array>, name: string): Promise<OpenedAudio> {
    try {
      const staged = await stage.write(content, bytesMax);
      return { file: staged.file, filename: name, discard: staged.discard };
    } catch (error) {
      if (error instanceof BlobTooLarge || error instanceof OutboundTooLarge) throw tooLarge(bytesMax);
      throw error;
    }
  }

  /** A signed link of this server is opened directly; the guard of outbound requests would stop it. */
  async function openOwnLink({ pathname, searchParams }: URL): Promise<AsyncIterable<Uint8Array> | undefined> {
    const [, id] = OWN_LINK.exec(pathname) ?? [];
    const [expires, signature] = [Number(searchParams.get('expires')), searchParams.get('signature')];
    if (id === undefined || !signature || !Number.isSafeInteger(expires)) return undefined;
    const opened = await files.openSigned(id, { expires, signature }).catch((error: unknown) => {
      // Not one of ours, or not valid: then it is an address like any other.
      if (error instanceof ApiError && error.status === 403) return undefined;
      throw error;
    });
    return opened?.content.stream();
  }

  async function download(url: string, name: string): Promise<OpenedAudio> {
    try {
      const response = await outbound.fetch(url, { signal });
      if (response.status === 200) return await keep(response.body, name);
      response.discard();
      throw transcriptionErrors.audio_fetch_failed(`The address of the audio answered ${response.status}.`);
    } catch (error) {
      if (error instanceof OutboundError) throw transcriptionErrors.audio_fetch_failed(error.message, { cause: error });
      throw error;
    }
  }
}

function decodeName(pathname: string): string {
  const name = pathname.split('/').at(-1) || 'audio';
  return URL.canParse(`x:${name}`) ? name.slice(0, 255) : 'audio';
}

function tooLarge(bytesMax: number): ApiError {
  return transcriptionErrors.audio_file_too_large(Math.floor(bytesMax / MEBIBYTE));
}
