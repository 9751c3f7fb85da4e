import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { called, refusedCall } from '../../../test/called.js';
import { named, naming } from '../../../test/refusal.js';
import { workplace } from '../../../test/workplace.js';
import type { RunResult } from '../../results/result.js';
import { packageFile } from '../../units/package-files.js';

const place = workplace();
const inWords = { RINGSIDE_JSON: '' };
const kept = packageFile('results', 'kept', '2026-11-22T07-56-31Z-latency-socketio-4aed83af');

/** A copy of a kept run with that edit of its document. */
function edited(name: string, edit: (result: RunResult) => unknown): string {
  const directory = join(place.folder, name);
  cpSync(kept, directory, { recursive: true });
  const file = join(directory, 'result.json');
  writeFileSync(file, JSON.stringify(edit(JSON.parse(readFileSync(file, 'utf8')) as RunResult)));
  return directory;
}

describe('a kept run of which somebody edited a count', () => {
  const directory = edited('counts', (result) => ({
    ...result,
    ledger: { ...result.ledger, delivered: Number(result.ledger.delivered) - 7 },
  }));

  it.each([
    [['show', directory], 'stdout'],
    [['show', directory, '--markdown', '-'], 'stdout'],
    [['export', directory, '--format', 'csv'], 'stderr'],
    [['report', directory, '--html', join(place.folder, 'edited.html')], 'stderr'],
    [['diff', kept, directory], 'stdout'],
  ] as const)('is void for %j, with the sum that is off', async (args, where) => {
    const ended = await called(args, inWords);
    expect(ended.code).toBe(4);
    expect(ended[where]).toMatch(/ledger-broken.*delivered \+ lost/);
  });

  it('is what it was without the edit', async () => {
    expect((await called(['show', kept], inWords)).code).toBe(0);
  });
});

it.each(['../counts/samples/delivery.bin', '/etc/hostname', 'samples/../result.json', 'samples/\u001b[31mred\nred'])(
  'a kept run with a name that leads elsewhere of a file is refused: %j',
  async (file) => {
    const directory = edited(`file-${Buffer.from(file).toString('hex')}`, (result) => ({
      ...result,
      samples: { ...result.samples, delivery: { ...result.samples.delivery, file } },
    }));
    expect(await refusedCall('report', directory, '--html', join(place.folder, 'elsewhere.html'))).toEqual([
      named('badResult', 'samples.delivery.file'),
    ]);
  },
);

it('a kept run with a name that leads elsewhere or a text with control characters prints none of them', async () => {
  const name = 'w\u001b[31ms\nverdict';
  const directory = edited('controls', (result) => ({ ...result, target: { ...result.target, name } }));
  const { code, stdout } = await called(['show', directory], inWords);
  expect([code, stdout.includes('\u001b')]).toEqual([0, false]);
  expect(stdout.split('\n')[0]).toEqual(naming('ws verdict'));
});
