import { describe, expect, it } from 'vitest';
import { flowFiles } from '../../test/flow-files.js';
import { served } from '../../test/flow-libraries.js';
import { expectAll, expectExact, expectWithin, inLastingRooms, inRooms } from '../../test/flow-rooms.js';
import { keptResult, workplace } from '../../test/workplace.js';
import { packageFile } from '../units/package-files.js';

const place = workplace();

/** Each engine and client has one worker and several, one shard and two; the integration tests have the others. */
const rigs = [
  '--engine native --workers 1 --local-shards 2',
  '--engine js --workers 1',
  '--client library --workers 3',
  '--client library --workers 1 --local-shards 2',
];

describe.concurrent('a server that loses, doubles and delays keeps its own count, and the ledger agrees', () => {
  it.each(rigs)('in rooms that are full before the first key: %s', async (rig) => {
    expectExact(await inRooms(place, 'rooms.flow.ts', 65, rig), 65);
  });

  it.each([
    '--engine native --workers 2 --local-shards 2',
    '--engine js --workers 2',
    '--client library --workers 2 --local-shards 2',
  ])('in rooms whose members come and go: %s', async (rig) => {
    expectWithin(await inRooms(place, 'moving-rooms.flow.ts', 70, rig), 70);
  });
});

it('shards of a run that its user ends know what the others sent', async () => {
  const run = await inLastingRooms(place, ['--duration', '10m'], (command) => command.kill('SIGINT'));
  expectAll(run);
  expect([run.code, run.result.stop.code]).toEqual([130, 'endedByUser']);
});

it('the drain ends as soon as all has come to two shards', async () => {
  const run = await inLastingRooms(place, ['--engine', 'js', '--duration', '10s']);
  expectAll(run);
  expect(run.result.stop.code).toBe('completed');
});

const crowd = flowFiles({
  'crowd.ts': `export default { async client(me) {
  const conn = await me.open('/', { parse: 'text' });
  conn.send('hello');
  await conn.next(/hello/);
  await me.together('all');
} };`,
})('crowd.ts');

it('1,000 clients, 500 a second, are there at once, and neither a socket nor a process is left', async () => {
  const port = await served(place, packageFile('test/flows/servers/rough.mjs'));
  const load = ['--clients', '1000', '--arrivals', '500', '--duration', '1m', '--workers', '2'];
  const command = place.ringside(['run', 'flow', crowd, '--target-url', `ws://127.0.0.1:${port}`, ...load]);
  const ended = await command.ended;
  expect(command.family()).toEqual([]);
  const { ledger, stop } = keptResult(ended);
  expect(ledger).toMatchObject({
    begun: 1000,
    finished: 1000,
    connects: 1000,
    connected: 1000,
    received: 1000,
    cut: 0,
  });
  const counts = await (await fetch(`http://127.0.0.1:${port}/`)).json();
  expect([stop.code, counts]).toEqual(['completed', { sockets: 1000, open: 0, refused: 0, resets: 0, echoes: 1000 }]);
});
