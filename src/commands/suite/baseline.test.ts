import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { pairedComparison } from '../../../test/paired-golden.js';
import { board, concluded, night, plan } from '../../../test/suite-nights.js';
import type { HeldBaseline } from './conclude.js';
import { readBaselines } from './nights.js';
import { fingerprintOf, type PlannedEntry } from './plan.js';
import { readSuite } from './read.js';

const folder = mkdtempSync(join(tmpdir(), 'baselines-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [entry] = plan().entries as [PlannedEntry];
const good = { ...board(night(1)), fingerprint: fingerprintOf(entry) };
const nights = [19, 20, 21].map((day) => join(folder, `2026-11-${day}T09-40-15Z-suite-a-0123abcd`));
const [oldest = '', older = '', newest = ''] = nights;

function keep(directory: string, comparison: object): void {
  mkdirSync(join(directory, 'latency'), { recursive: true });
  writeFileSync(join(directory, 'experiment.json'), JSON.stringify(concluded(board(night(1)))));
  writeFileSync(join(directory, 'latency', 'experiment.json'), JSON.stringify(comparison));
}

beforeEach(() => {
  for (const directory of nights) keep(directory, good);
});

async function held(
  fromFlag: string | undefined,
  inFile?: string,
  ofEntry?: string,
): Promise<HeldBaseline | undefined> {
  const entries = [{ ...entry, baseline: ofEntry }];
  const { file } = readSuite('a.yml', 'name: a\nentries: [{ scenario: latency }]\n');
  const text = { path: join(folder, 'a.yml'), file: { ...file, baseline: inFile } };
  return (await readBaselines(text, entries, fromFlag)).get('latency');
}

const directoryOf = async (...given: Parameters<typeof held>): Promise<string | undefined> => {
  const found = await held(...given);
  return found && 'directory' in found ? found.directory : undefined;
};

it('a baseline is the newest night of a directory', async () => {
  expect(await directoryOf(folder)).toBe(join(newest, 'latency'));
});

it('a baseline is the newest night of its shape with a valid run, in a format that this version reads', async () => {
  keep(newest, { ...good, schema: 0 });
  expect(await directoryOf(folder)).toBe(join(older, 'latency'));
  keep(older, { ...good, fingerprint: '000000000000' });
  expect(await directoryOf(folder)).toBe(join(oldest, 'latency'));
  keep(oldest, { ...good, rows: [] });
  expect(await held(folder)).toEqual({ notHeld: expect.stringContaining(join(newest, 'latency')) });
  rmSync(oldest, { recursive: true });
  rmSync(newest, { recursive: true });
  expect(await held(folder)).toEqual({ notHeld: expect.stringContaining('shape') });
});

it('a baseline is the suite that was named, which must be readable', async () => {
  expect(await directoryOf(older)).toBe(join(older, 'latency'));
  keep(older, { ...good, schema: 0 });
  await expect(held(older)).rejects.toMatchObject({ problems: [{ code: 'badResult' }] });
  await expect(held(join(folder, 'nowhere'))).rejects.toMatchObject({ problems: [{ code: 'badResult' }] });
});

it('a baseline comes from the flag, the entry or the file, in that order', async () => {
  expect(await held(undefined)).toBeUndefined();
  expect(await directoryOf(undefined, newest)).toBe(join(newest, 'latency'));
  expect(await directoryOf(undefined, newest, older)).toBe(older);
  expect(await directoryOf(oldest, newest, older)).toBe(join(oldest, 'latency'));
});

it('a baseline must be of the same shape if the entry names it', async () => {
  keep(older, { ...good, fingerprint: '000000000000' });
  const refused = (place: string) => expect(held(undefined, undefined, place)).rejects;
  await refused(older).toMatchObject({ problems: [{ code: 'shapesDiffer' }] });
  await refused(join(folder, 'nowhere')).toMatchObject({ problems: [{ code: 'badResult' }] });
});

it('a baseline is no paired comparison, whose figures hold for its own minutes', async () => {
  const { paired } = pairedComparison({ times: { ws: 1.5, uws: 1 }, starts: 3 });
  keep(older, { ...good, paired });
  const whole = held(undefined, undefined, older);
  await expect(whole).rejects.toMatchObject({ problems: [{ code: 'badResult' }] });
});
