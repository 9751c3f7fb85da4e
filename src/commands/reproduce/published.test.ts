import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { smallSource } from '../../../test/published.js';
import { named } from '../../../test/refusal.js';
import { problemsBy } from '../../../test/refusals.js';
import { ProblemError } from '../../contract/problems.js';
import { type PublishedTable, tablesOf } from '../../results/published.js';
import { runtimes } from '../../targets/needs/list.js';
import { planReproduction } from './plan.js';
import { chosenTables, contendersOf, readPublished } from './published.js';

const folder = mkdtempSync(join(tmpdir(), 'published-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, content: unknown): void => writeFileSync(join(folder, name), JSON.stringify(content));

it('published figures are read from any directory, with all problems at once', () => {
  write('a.json', smallSource);
  expect(readPublished(folder)).toEqual(tablesOf(smallSource));
  write('b.json', { ...smallSource, machine: 7 });
  write('c.json', smallSource);
  expect(() => readPublished(folder)).toThrow(/b\.json: machine: .*\n.*small-latency/s);
  expect(() => readPublished(join(folder, 'none'))).toThrow(ProblemError);
});

it('published figures are chosen by table or by figure', () => {
  const tables = tablesOf(smallSource);
  expect(chosenTables(tables, ['small-latency'])).toEqual([tables[0]]);
  const [one] = chosenTables(tables, ['small-ws-lost', 'small-uws-p50']);
  expect(one?.figures.map(({ id }) => id)).toEqual(['small-uws-p50', 'small-ws-lost']);
  expect(chosenTables(tables, ['small-steps-ws', 'small-ws-p50']).map(({ id }) => id)).toEqual([
    'small-latency',
    'small-steps',
  ]);
});

it('published tables are chosen by source, whole', () => {
  const tables = tablesOf(smallSource);
  for (const name of ['small', 'small-source']) expect(chosenTables(tables, [name])).toEqual(tables);
  expect(chosenTables(tables, ['small', 'small-ws-p50'])).toEqual(tables);
});

it('published figures that do not exist are refused together', () => {
  const refused = problemsBy(() => chosenTables(tablesOf(smallSource), ['latency-ws', 'small', 'small-go']));
  expect(refused).toEqual([named('unknownName', 'latency-ws'), named('unknownName', 'small-go')]);
});

const [small] = tablesOf(smallSource) as [PublishedTable];
const node24 = runtimes.filter(({ name }) => name === 'node24');

const mapped: PublishedTable = {
  ...small,
  contenders: {
    ws: { title: 'uWebSockets in eight processes', target: 'uws', processes: 8 },
    uws: { title: 'Socket.IO on Node 24', target: 'socketio', runtime: 'node24' },
    socketio: { title: 'a server of tomorrow', target: 'tomorrow' },
  },
};

it('finds the target that stands for each name of a source, and says why there is none', () => {
  const { contenders, absent } = contendersOf(mapped, new Map([['socketio', node24]]));
  expect(contenders).toMatchObject([
    { name: 'ws', target: { name: 'uws' }, processes: 8, by: 'uws, 8 processes' },
    { name: 'uws', target: { name: 'socketio', needs: [{ name: 'node24' }] }, by: 'socketio, on node24' },
  ]);
  expect(absent).toEqual([
    { name: 'socketio', why: expect.stringContaining('tomorrow') },
    { name: 'go-server', why: 'a server in Go' },
  ]);
});

it('takes the target on its own runtime where that of the source is not ready', () => {
  const { contenders } = contendersOf(mapped);
  expect(contenders[1]).toMatchObject({
    target: { name: 'socketio', needs: [] },
    by: expect.stringContaining('not on'),
  });
});

it('plans each contender under its own name, with what the source ran it with', () => {
  const { contenders } = planReproduction(mapped, { scale: 0.1, time: 1 }, { flags: {}, env: {}, file: {} });
  expect(contenders.map(({ name, plan }) => [name, plan.target.name, plan.fleet.targetProcesses])).toEqual([
    ['ws', 'uws', 8],
    ['uws', 'socketio', undefined],
  ]);
});
