import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { naming } from '../../test/refusal.js';
import { type Problem, ProblemError } from '../contract/problems.js';
import { Blocks, blocksOf } from '../measure/samples/blocks.js';
import { decodeSamples } from '../measure/samples/encoding.js';
import type { Samples } from '../measure/samples/samples.js';
import { runResult } from './result.js';
import {
  blockFile,
  ResultStore,
  readBlocks,
  readDocument,
  readRun,
  refuseUnwritable,
  resultDirectory,
  sampleFile,
  writeWholeFile,
} from './store.js';

it('the directory of a result sorts by time and says what is in it', () => {
  const of = (target: string): string =>
    resultDirectory('results', '2026-11-21T09:40:15.682Z', 'latency', target, '7b39ba6e');
  expect(of('socketio-csr')).toBe(join('results', '2026-11-21T09-40-15Z-latency-socketio-csr-7b39ba6e'));
  expect(of('[::1]:3001')).toBe(join('results', '2026-11-21T09-40-15Z-latency-_1_3001-7b39ba6e'));
  expect(of('../../ring')).toBe(join('results', '2026-11-21T09-40-15Z-latency-.._.._ring-7b39ba6e'));
});

describe('a result store', () => {
  let folder = '';
  let problems: Problem[] = [];
  const store = new ResultStore((problem) => problems.push(problem));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ringside-keep-'));
    problems = [];
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes a result that parses, beside the samples that it names', async () => {
    const delivery: Samples = { kind: 'raw', values: Uint32Array.of(211, 743, 41_011) };
    const samples = { delivery: { file: sampleFile('delivery'), kind: 'raw' as const, count: 3 } };
    const result = goldenResult({ samples });
    const directory = join(folder, 'deep', 'down');
    await store.keepRun(directory, result, { samples: { delivery, unnamed: delivery } });
    const text = await readFile(join(directory, 'result.json'), 'utf8');
    expect(text.endsWith('}\n')).toBe(true);
    expect(runResult.parse(JSON.parse(text))).toEqual(result);
    expect(decodeSamples(await readFile(join(directory, 'samples/delivery.bin')))).toEqual(delivery);
    expect(await readdir(join(directory, 'samples'))).toEqual(['delivery.bin']);
  });

  describe('with blocks', () => {
    const blocks = new Blocks(11);
    for (let broadcast = 0; broadcast < 11; broadcast++) blocks.record(broadcast, 743 + 101 * broadcast);
    const series = { [blocksOf('delivery')]: blocks.finish(), acked: Uint32Array.of(7) };
    const result = goldenResult({ samples: {}, blocks: { delivery: { file: blockFile('delivery'), count: 11 } } });
    const kept = async (): Promise<string> => {
      const directory = join(folder, 'run');
      await store.keepRun(directory, result, { samples: {}, series });
      return directory;
    };

    it('writes those that the result names, and reads them as they were', async () => {
      const directory = await kept();
      expect(await readdir(join(directory, 'blocks'))).toEqual(['delivery.bin']);
      expect(await readBlocks(directory, await readRun(directory))).toEqual({
        [blocksOf('delivery')]: blocks.finish(),
      });
      expect(await readBlocks(directory, goldenResult())).toEqual({});
    });

    it('refuses blocks that are missing, damaged, or of another number', async () => {
      const directory = await kept();
      const path = join(directory, blockFile('delivery'));
      const refused = (count = 11) =>
        readBlocks(directory, { blocks: { delivery: { file: blockFile('delivery'), count } } }).catch((error) => error);
      const named = { problems: [{ code: 'badResult', message: expect.stringContaining(path) }] };
      expect(await refused(13)).toMatchObject(named);
      await writeFile(path, (await readFile(path)).subarray(0, -1));
      expect(await refused()).toMatchObject(named);
      await rm(path);
      expect(await refused()).toMatchObject(named);
    });
  });

  it('leaves nothing behind where not all of it can be written, but what others keep there', async () => {
    const delivery: Samples = { kind: 'raw', values: Uint32Array.of(211) };
    const result = goldenResult({ samples: { delivery: { file: 'no/where.bin', kind: 'raw', count: 1 } } });
    const board = join(folder, 'board');
    await store.keepRun(join(board, 'run'), result, { samples: { delivery } });
    expect([problems.map(({ code }) => code), await readdir(board)]).toEqual([['notKept'], []]);
    await store.keep(board, { ['a'.repeat(300)]: result });
    expect([problems.map(({ code }) => code), await readdir(folder)]).toEqual([['notKept', 'notKept'], []]);
  });

  it('is refused beforehand where nothing can be written, every place at once', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const refused = await refuseUnwritable({ '--results': join(file, 'x'), '--trust': file }).catch((error) => error);
    expect(refused).toBeInstanceOf(ProblemError);
    expect((refused as ProblemError).exitCode).toBe(2);
    expect((refused as ProblemError).problems.map(({ message }) => message)).toEqual([
      naming('--results:', `${join(file, 'x')} (ENOTDIR`),
      naming('--trust:', `${file} (ENOTDIR`),
    ]);
  });

  it('finds a place that can be written as it was, or makes it, for two options at once, too', async () => {
    const place = join(folder, 'a', 'b');
    await refuseUnwritable({ '--results': place, '--trust': place });
    expect(await readdir(place)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('refuses where a directory is never made, at once', async () => {
    await expect(refuseUnwritable({ '--results': '/proc/no/such' })).rejects.toThrow('/proc/no/such');
  });

  it('reports what the file system refuses, by its place, and throws a bug', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await store.keep(join(file, 'x'), { 'suite.md': '' });
    expect(problems).toMatchObject([{ code: 'notKept', message: expect.stringContaining(join(file, 'x')) }]);
    const endless: { self?: object } = {};
    endless.self = endless;
    await expect(store.keep(folder, { 'experiment.json': endless })).rejects.toThrow(TypeError);
  });

  it('keeps text as it is, and objects as JSON, in the folders that their names say', async () => {
    await store.keep(folder, { 'suite.md': '# night\n', 'one/baseline.json': { seven: 7 } });
    expect(await readFile(join(folder, 'suite.md'), 'utf8')).toBe('# night\n');
    expect(await readFile(join(folder, 'one', 'baseline.json'), 'utf8')).toBe('{\n  "seven": 7\n}\n');
  });

  it('refuses a document of a later version by its version', async () => {
    const path = join(folder, 'result.json');
    await store.keep(folder, { 'result.json': { ...goldenResult(), schema: 3 } });
    const refused = await readDocument(path, runResult).catch((error) => error);
    expect((refused as ProblemError).problems).toMatchObject([{ code: 'badResult' }]);
    expect((refused as ProblemError).message).toEqual(naming(2, 3));
    expect(await readDocument(join(folder, 'none.json'), runResult)).toBeUndefined();
  });
});

const folder = mkdtempSync(join(tmpdir(), 'ringside-whole-'));
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

async function* failing(): AsyncGenerator<string> {
  yield 'half of';
  throw new Error('the samples are damaged');
}

// Windows has no such rights, and lets no user make links.
it.skipIf(process.platform === 'win32')(
  'a whole file is there at once, through a link, with the rights that it had',
  async () => {
    writeFileSync(at('old'), 'before', { mode: 0o640 });
    symlinkSync(at('old'), at('link'));
    await writeWholeFile(at('link'), ['af', 'ter']);
    expect([readFileSync(at('old'), 'utf8'), statSync(at('old')).mode & 0o777]).toEqual(['after', 0o640]);
    await writeWholeFile(at('new'), ['there']);
    expect(readFileSync(at('new'), 'utf8')).toBe('there');
    expect(readdirSync(folder).sort()).toEqual(['link', 'new', 'old']);
  },
);

it('a whole file stays as it was where its text can’t be made, and leaves nothing beside it', async () => {
  writeFileSync(at('kept'), 'before');
  await expect(writeWholeFile(at('kept'), failing())).rejects.toThrow('the samples are damaged');
  await expect(writeWholeFile(at('never'), failing())).rejects.toThrow('the samples are damaged');
  expect(readFileSync(at('kept'), 'utf8')).toBe('before');
  expect(readdirSync(folder).filter((name) => /never|kept/.test(name))).toEqual(['kept']);
});

it.skipIf(process.platform === 'win32')('a whole file is no device, which is written to as it is', async () => {
  await writeWholeFile('/dev/null', ['gone']);
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

it('a whole file has to have a place', async () => {
  await expect(writeWholeFile(at('no/where'), ['text'])).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' });
  await expect(writeWholeFile(folder, ['text'])).rejects.toMatchObject({ code: 'EISDIR' });
});
