import { FILLER } from './filler.ts';
import { HOUSE_RULES } from './house-rules.ts';
import { inLanguages, LANGUAGES, type Language } from './languages.ts';
import { GROUPS } from './subjects.ts';

export const FORMATS = ['md', 'html', 'txt', 'csv', 'docx', 'pptx', 'xlsx', 'pdf', 'png', 'epub', 'eml', 'py'] as const;
export type Format = (typeof FORMATS)[number];

/** A fact as a sentence for prose, and as a row for tables. */
export type Entry = { statement: string; label: string; value: string };

export type SetDocument = {
  id: string;
  language: Language;
  format: Format;
  title: string;
  /** What the document is about. */
  subject: string;
  entries: Entry[];
  filler: string[];
};

export type Question = {
  text: string;
  language: Language;
  /** In another language than the document. */
  isCrossLingual: boolean;
  documentId: string;
  answer: string;
};

export type RetrievalSet = { documents: SetDocument[]; questions: Question[] };

const SEED = 20_270_101;
const CIRCULAR = inLanguages('Circular', 'Rundschreiben', 'Circulaire', 'Circular', 'Circolare', 'Rondschrijven');
/** Languages beside its own in which a house rule is asked for. */
const RULE_LANGUAGES = 3;

/** The same documents and questions every time: facts of a company that does not exist. */
export function makeSet(): RetrievalSet {
  const random = createRandom(SEED);
  const documents: SetDocument[] = [];
  const questions: Question[] = [];
  for (const [g, { name, title, subjects, topics }] of GROUPS.entries())
    for (const [s, names] of subjects.entries()) {
      // Five has no factor in common with the number of formats, so a group has each of them once.
      const format = FORMATS[(s * 5 + g * 3) % FORMATS.length] as Format;
      const language = languageAt(s + g);
      const document = open(`${name}-${s + 1}`, language, format, title[language], names[language], random);
      documents.push(document);
      for (const [t, { value, wording }] of topics.entries()) {
        const answer = value(random);
        const { label, statement } = wording[language];
        document.entries.push({ statement: statement.replace('{v}', answer), label, value: answer });
        const ask = (asked: Language) => {
          const text = wording[asked].question.replace('{e}', names[asked]);
          questions.push(questionOf(text, asked, document, answer));
        };
        ask(language);
        if ((s + t) % 2 === 0) ask(languageAt(s + g + 1 + ((s + 2 * t) % (LANGUAGES.length - 1))));
      }
      shuffle(document.entries, random);
    }
  addHouseRules(documents, questions, random);
  return { documents, questions };
}

/** A circular in each format, with one or two rules. */
function addHouseRules(documents: SetDocument[], questions: Question[], random: () => number): void {
  for (const [f, format] of FORMATS.entries()) {
    const language = languageAt(f * 5);
    const document = open(`circular-${f + 1}`, language, format, CIRCULAR[language], `${f + 1}/2027`, random);
    documents.push(document);
    for (const [r, { answer, wording }] of HOUSE_RULES.entries()) {
      if (r % FORMATS.length !== f) continue;
      const { statement } = wording[language];
      document.entries.push({ statement, label: `§ ${r + 1}`, value: statement });
      for (let i = 0; i <= RULE_LANGUAGES; i++) {
        const asked = languageAt(f * 5 + i);
        questions.push(questionOf(wording[asked].question, asked, document, answer));
      }
    }
  }
}

function open(
  id: string,
  language: Language,
  format: Format,
  title: string,
  subject: string,
  random: () => number,
): SetDocument {
  const filler = shuffle([...FILLER[language]], random);
  return { id, language, format, title: `${title}: ${subject}`, subject, entries: [], filler };
}

function questionOf(text: string, language: Language, document: SetDocument, answer: string): Question {
  return { text, language, isCrossLingual: language !== document.language, documentId: document.id, answer };
}

const languageAt = (index: number) => LANGUAGES[index % LANGUAGES.length] as Language;

function shuffle<T>(list: T[], random: () => number): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j] as T, list[i] as T];
  }
  return list;
}

/** Mulberry32: numbers from 0 to 1, the same on every machine. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
