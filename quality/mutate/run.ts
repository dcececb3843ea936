import { parseArgs } from 'node:util';
import { percent } from './judge-mutants.ts';
import { mutateRoom } from './mutate-room.ts';
import { mutatedRooms } from './mutated-rooms.ts';

const HELP = `npm run mutate -- <room> [<file> ...] [--json]

Changes the sources of a room in one place after another and runs its tests on SQLite each time. A change that no test
notices is printed, with its line. Files are below the room, such as service/keys.ts; without them it is the whole room.
Rooms: ${Object.keys(mutatedRooms).join(', ')}.
  --json  prints the result as JSON
Exit 1 when too few changes were noticed. It takes up to half an hour on two cores; quality/mutate/README.md has more.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [room, ...files] = positionals;
if (values.help || room === undefined || !(room in mutatedRooms)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

const judgement = await mutateRoom(room, files);
if (values.json) console.log(JSON.stringify({ room, ...judgement }, null, 2));
else {
  const { tried, killed, harmless, score, survivors, faults } = judgement;
  for (const { file, line, column, change, status } of survivors)
    console.log(`${file}:${line}:${column}  ${change}${status === 'Survived' ? '' : '  (no test reaches it)'}`);
  console.log(`${room}: ${killed} of ${tried} changes were noticed, ${harmless} are harmless: ${percent(score)}.`);
  for (const fault of faults) console.log(fault);
}
process.exitCode = judgement.faults.length === 0 ? 0 : 1;
