// Reads one list with several readers at once and prints what each got: node read-lists-for-tests.ts <url> <key> <readers>
const [url = '', key = '', readers = '1'] = process.argv.slice(2);

async function read(): Promise<{ ids: string[]; characters: number }> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const agents = (await response.json()) as { id: string; instructions: string }[];
  return {
    ids: agents.map(({ id }) => id),
    characters: agents.reduce((sum, { instructions }) => sum + instructions.length, 0),
  };
}

const results = await Promise.all(Array.from({ length: Number(readers) }, read));
process.stdout.write(JSON.stringify(results));
