export { prepareQuery, QUERY_CHARACTERS_MAX, type Query, type QueryOutcome } from './prepare-query.ts';
