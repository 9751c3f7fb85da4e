import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { latestResult, resultBefore } from './latest.js';

const root = mkdtempSync(join(tmpdir(), 'ringside-latest-'));
const make = (name: string, file = 'result.json'): string => {
  mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, name, file), '{}');
  return join(root, name);
};
const first = make('2026-11-20T09-40-15Z-latency-ws-00000001');
const other = make('2026-11-21T09-40-15Z-echo-ws-00000002');
const last = make('2026-11-22T09-40-15Z-latency-ws-00000003');
make('2026-11-23T09-40-15Z-latency-ws-00000004', 'draft.json');
make('nightly');

it('is the newest directory with a result', async () => {
  expect(await latestResult(root)).toBe(last);
});

it('is compared with the newest one of its scenario and target before it', async () => {
  expect(await resultBefore(last, root)).toBe(first);
  await expect(resultBefore(first, root)).rejects.toMatchObject({ problems: [{ code: 'badResult' }] });
  await expect(resultBefore(other, root)).rejects.toMatchObject({ problems: [{ code: 'badResult' }] });
});

it('is refused where there is none', async () => {
  await expect(latestResult(join(root, 'nothing'))).rejects.toMatchObject({ problems: [{ code: 'badResult' }] });
});
