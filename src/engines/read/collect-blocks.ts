import { Refusal } from '../process/protocol.ts';
import { cleanText, countHidden } from './clean-text.ts';
import type { Block, TextBox } from './read-engine.ts';

/** Below this much text nobody can say what is hidden in it. */
const HIDDEN_CHARACTERS_MIN = 40;

/** What readers write to: counts the text, cleans it, and knows the page. */
export type BlockCollector = {
  readonly blocks: Block[];
  title: string | null;
  language: string | null;
  /** Null until the first page begins. */
  page: number | null;
  nextPage(): void;
  add(kind: Block['kind'], text: string, level?: number, boxes?: TextBox[]): void;
  /** Text that a reader of the document does not see. It is not kept. */
  hide(text: string): void;
};

export function createBlockCollector(textCharactersMax: number): BlockCollector & { finish(): Block[] } {
  const blocks: Block[] = [];
  let characters = 0;
  let hidden = 0;
  return {
    blocks,
    title: null,
    language: null,
    page: null,
    nextPage() {
      this.page = this.page === null ? 0 : this.page + 1;
    },
    add(kind, text, level, boxes) {
      hidden += countHidden(text);
      const cleaned = cleanText(text, kind !== 'code' && kind !== 'table');
      if (cleaned === '') return;
      characters += cleaned.length;
      if (characters > textCharactersMax)
        throw new Refusal(
          'document_too_large',
          `The document has more than ${Math.floor(textCharactersMax / 1_000_000)} million characters of text.`,
        );
      const block: Block = { kind, text: cleaned, page: this.page };
      if (level !== undefined) block.level = level;
      if (boxes) block.boxes = boxes;
      blocks.push(block);
    },
    hide(text) {
      hidden += text.trim().length;
    },
    finish() {
      if (hidden >= HIDDEN_CHARACTERS_MIN && hidden > characters)
        throw new Refusal('document_hides_text', 'The document hides more text from its readers than it shows.');
      return blocks.map(keepOnlyText(blocks));
    },
  };
}

/** What stands beside the text of a page is its text where there is no other. */
function keepOnlyText(blocks: readonly Block[]): (block: Block) => Block {
  const pageOf = ({ page }: Block) => page ?? 0;
  const withText = new Set(blocks.filter(({ kind }) => kind !== 'margin').map(pageOf));
  return (block) => (block.kind === 'margin' && !withText.has(pageOf(block)) ? { ...block, kind: 'text' } : block);
}
