/** What is sent with a message: a picture and a document as data addresses, a text file as its words. */
export type Attachment = { kind: 'image' | 'document' | 'text'; name: string; content: string };

export type Chunk =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: string }
  | { type: 'document_url'; document_url: string; document_name: string };

const BYTES_MAX = 20 * 1024 * 1024;
const TEXT_BYTES_MAX = 1024 * 1024;
/** Longer sides of pictures are of no use to models, and cost tokens. */
const PIXELS_MAX = 1568;
const PICTURE = /^image\/(png|jpeg|webp|gif|avif|bmp)$/;
const TEXT = /^text\/|json|xml|yaml|javascript|typescript|csv|markdown/;
const TEXT_NAME =
  /\.(txt|md|csv|tsv|json|jsonl|ya?ml|xml|html?|css|[cm]?[jt]sx?|py|rb|rs|go|java|c|h|cpp|sh|sql|toml|ini|log)$/i;

/** Reads a file that was dropped, pasted or chosen; throws in words when it cannot be sent. */
export async function readAttachment(file: File): Promise<Attachment> {
  const name = file.name || 'pasted picture';
  if (file.size > BYTES_MAX) throw new Error(`${name} has more than 20 MB.`);
  if (PICTURE.test(file.type)) return { kind: 'image', name, content: await readPicture(file) };
  if ((TEXT.test(file.type) || TEXT_NAME.test(name)) && file.size <= TEXT_BYTES_MAX)
    return { kind: 'text', name, content: await file.text() };
  return { kind: 'document', name, content: await readAddress(file) };
}

/** The message with its attachments; one that was too large to be kept is named, so that the model is not misled. */
export function toChunks(text: string, attachments: readonly Attachment[]): Chunk[] {
  const chunks = attachments.map(({ kind, name, content }): Chunk => {
    if (content === '') return { type: 'text', text: `[${name} is no longer attached]` };
    if (kind === 'image') return { type: 'image_url', image_url: content };
    if (kind === 'document') return { type: 'document_url', document_url: content, document_name: name };
    return { type: 'text', text: `[File "${name}"]\n\n${content}\n\n[End of the file]` };
  });
  return text === '' ? chunks : [...chunks, { type: 'text', text }];
}

/** Large ones would fill the store: of them only the name is kept. */
const KEPT_CHARACTERS_MAX = 1_000_000;

export function forKeeping(attachments: readonly Attachment[]): Attachment[] {
  return attachments.map((one) => (one.content.length > KEPT_CHARACTERS_MAX ? { ...one, content: '' } : one));
}

async function readPicture(file: File): Promise<string> {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, PIXELS_MAX / Math.max(picture.width, picture.height));
  if (scale === 1 && file.size < KEPT_CHARACTERS_MAX / 2) return readAddress(file);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', 0.85);
}

function readAddress(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}
