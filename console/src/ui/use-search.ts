import { useState } from 'react';

/** The words and the page of a list: other words begin at the first page. */
export function useSearch() {
  const [search, write] = useState('');
  const [page, setPage] = useState(1);
  const setSearch = (words: string) => {
    write(words);
    setPage(1);
  };
  return { search, page, setSearch, setPage };
}
