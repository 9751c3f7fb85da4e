import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { capacityBooks, heldResult, idleFlags } from '../../test/capacity.js';
import {
  answering,
  bare,
  echo,
  knownByAddress,
  neverAnswersPing,
  place,
  showsHttpAnswer,
  showsTalk,
} from '../../test/runs/first-contact.js';

const others = [
  ['--engine', 'js'],
  ['--client', 'library'],
];

describe.concurrent('any WebSocket server', () => {
  it.each(others)('is held and connected to by its address alone: %s %s', (...more) => knownByAddress(more));

  it('that never answers a ping has no client, and says why', () => neverAnswersPing('js'));

  it('holds only who answers at the end', async () => {
    const target = await bare((socket, number) => answering(socket, number % 3 === 2 ? 1 : 7), false);
    const flags = idleFlags(101, ['--probe-timeout', '2s']);
    const result = heldResult(await place.measure(['run', 'idle', ...target, ...flags], 2));
    const books = { asked: 101, opened: 101, held: 68, proven: 68, lost: 33, lostByCause: { unproven: 33 } };
    expect(capacityBooks(result)).toMatchObject(books);
    expect(result.stop.code).toBe('connectionsLost');
  });

  it('is compared with another', async () => {
    const [one, two] = await Promise.all([bare(echo), bare(echo)]);
    const file = join(place.folder, 'bare.yml');
    writeFileSync(file, `- { name: one, targetUrl: "${one[1]}" }\n- { name: two, targetUrl: "${two[1]}" }\n`);
    const flags = ['--repeat', '1', '--json', ...idleFlags(23)];
    const { stdout } = await place.measure(['compare', 'idle', '--target-file', file, ...flags]);
    const { rows } = JSON.parse(stdout) as { rows: { runs: { result: { ledger: object } }[] }[] };
    expect(rows.flatMap(({ runs }) => runs.map(({ result }) => result.ledger))).toMatchObject([
      { held: 23, lost: 0 },
      { held: 23, lost: 0 },
    ]);
  });
});

describe.concurrent('a client that fails', () => {
  it.each(others)('shows what it said and heard: %s %s', (...more) => showsTalk(more));

  it('shows an HTTP answer, and which protocol it is of', () => showsHttpAnswer('js'));
});
