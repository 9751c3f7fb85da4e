import { expect, it } from 'vitest';
import { latencyFlags } from '../../../test/latency.js';
import { keptDirectory, workplace } from '../../../test/workplace.js';
import { comparison } from '../../results/comparison.js';
import { runResult } from '../../results/result.js';

const place = workplace();

it('a comparison by runs interleaves the repeats of what can be started, and keeps a row for what cannot', async () => {
  const names = ['ws', 'anycable', 'socketio'].flatMap((name) => ['--target', name]);
  const flags = [...names, '--design', 'runs', '--repeat', '2', ...latencyFlags(7, 11), '--json'];
  const env = { ANYCABLE_GO_BIN: '/nowhere/anycable-go' };
  const ended = await place.measure(['compare', 'latency', ...flags], 1, env);
  const { rows, fingerprint, repeat } = comparison.parse(JSON.parse(ended.stdout));
  expect(repeat).toBe(2);
  expect(rows).toMatchObject([
    { target: 'ws', state: 'ran', why: '' },
    { target: 'anycable', state: 'notAvailable', why: expect.stringContaining('/nowhere/anycable-go'), runs: [] },
    { target: 'socketio', state: 'ran', why: '' },
  ]);
  const results = rows.flatMap((row) => row.runs.map((run) => run.result));
  const inTime = results.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  for (const round of [inTime.slice(0, 2), inTime.slice(2)])
    expect(round.map(({ target }) => target.name).sort()).toEqual(['socketio', 'ws']);
  const told = [...ended.stderr.matchAll(/^run ([0-9a-f]{8})/gm)].map(([, runId]) => runId);
  expect(told).toEqual(inTime.map(({ job }) => job.runId));
  expect(new Set(results.map((result) => result.fingerprint))).toEqual(new Set([fingerprint]));
  expect(results.map(({ ledger }) => ledger.delivered)).toEqual([77, 77, 77, 77]);
  const shown = await place.run(['show', keptDirectory(ended)]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  for (const name of ['ws', 'anycable', 'socketio']) expect(shown.stdout).toContain(name);
  const [{ directory = '' } = {}] = rows.flatMap((row) => row.runs);
  expect(runResult.parse(JSON.parse((await place.run(['show', directory, '--json'])).stdout))).toBeDefined();
});
