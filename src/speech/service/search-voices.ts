import type { Database } from '../../kit/db/index.ts';
import type { PageTokens } from '../../kit/http/index.ts';
import type { VoiceListPage, VoiceResponse, VoicesSearchQuery } from '../schema/voices.ts';
import { findNamedVoices, listVoicesAfter, type VoicePosition, type VoiceRow } from '../store.ts';

const ROWS_PER_READ = 200;
/** All custom voices here are made from one sample; those of engines have no kind. */
const CUSTOM_KIND = 'ivc';

/** After a custom voice, or from a place in the list of presets on. */
type Position = { after: VoicePosition } | { preset: number };

export type VoiceSearch = {
  database: Database;
  tokens: PageTokens;
  workspaceId: string;
  presets: () => VoiceResponse[];
  show: (row: VoiceRow) => VoiceResponse;
};

/** A full page of the voices that match, as long as there are any: custom ones, the newest first, then presets. */
export async function searchVoices(search: VoiceSearch, query: VoicesSearchQuery): Promise<VoiceListPage> {
  const { tokens, workspaceId } = search;
  const { page_size, page_token, ...filters } = query;
  const question = ['voices', workspaceId, JSON.stringify(filters)];
  const start = page_token ? (tokens.read(question, page_token) as Position) : undefined;
  const found: { voice: VoiceResponse; position: Position }[] = [];
  const isFull = () => found.length > page_size;
  const offer = (voice: VoiceResponse, position: Position) => {
    if (!isFull() && matches(voice, filters)) found.push({ voice, position });
  };
  if (query.type !== 'preset' && !(start && 'preset' in start)) {
    const among = await findNamedVoices(search.database, workspaceId, query.query ?? undefined);
    if (among?.length !== 0) await offerCustoms(search, { after: start?.after, among }, offer, isFull);
  }
  if (query.type !== 'custom' && !isFull()) {
    const from = start && 'preset' in start ? start.preset : 0;
    for (const [index, voice] of search.presets().entries()) if (index >= from) offer(voice, { preset: index + 1 });
  }
  const page = found.slice(0, page_size);
  const last = page.at(-1);
  return {
    data: page.map(({ voice }) => voice),
    next_page_token: isFull() && last ? tokens.write(question, last.position) : null,
  };
}

async function offerCustoms(
  { database, workspaceId, show }: VoiceSearch,
  { after: start, among }: { after: VoicePosition | undefined; among: readonly string[] | undefined },
  offer: (voice: VoiceResponse, position: Position) => void,
  isFull: () => boolean,
): Promise<void> {
  let after = start;
  for (;;) {
    const rows = await listVoicesAfter(database.db, workspaceId, { after, among }, ROWS_PER_READ);
    for (const row of rows) {
      after = { created_at: row.created_at, id: row.id };
      offer(show(row), { after });
    }
    if (rows.length < ROWS_PER_READ || isFull()) return;
  }
}

type Filters = Omit<VoicesSearchQuery, 'page_size' | 'page_token'>;

function matches(voice: VoiceResponse, { gender, language, query, kind }: Filters): boolean {
  const languages = voice.languages.map((tag) => tag.toLowerCase());
  const speaks = (wanted: string) => languages.some((tag) => tag === wanted || tag.startsWith(`${wanted}-`));
  return (
    (!gender || gender.length === 0 || gender.some((one) => one === voice.gender?.toLowerCase())) &&
    (!language || language.length === 0 || language.some((one) => speaks(one.toLowerCase()))) &&
    (!query || voice.name.toLowerCase().includes(query.toLowerCase())) &&
    (!kind || (voice.type === 'custom' && kind === CUSTOM_KIND))
  );
}
