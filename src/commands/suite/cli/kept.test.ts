import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { board, concluded, night, plan } from '../../../../test/suite-nights.js';
import type { Held } from '../baseline.js';
import { type SuiteOptions, suiteOptions } from '../suite-options.js';
import { readBaselines } from './kept.js';

const folder = mkdtempSync(join(tmpdir(), 'kept-'));
const kept = join(folder, '2026-11-20T09-40-15Z-suite-a-0123abcd');
afterAll(() => rmSync(folder, { recursive: true }));

const write = (path: string, json: object): void => writeFileSync(join(kept, path), JSON.stringify(json));
const good = board(night(1));

beforeEach(() => {
  mkdirSync(join(kept, 'latency'), { recursive: true });
  write('suite.json', concluded(good));
  write('latency/comparison.json', good);
});

async function held(options: Partial<SuiteOptions>): Promise<Held | undefined> {
  const file = { path: join(folder, 'a.yml'), name: 'a', baseline: undefined };
  const found = await readBaselines(file, plan().entries, {
    ...suiteOptions.parse({ resultsDir: folder }),
    ...options,
  });
  return found.get('latency');
}

describe('the previous suite', () => {
  it('that another version kept is held against nothing, whichever part of it can not be read', async () => {
    write('suite.json', { ...concluded(good), schema: 0, more: 1 });
    expect(await held({ previousDir: folder })).toEqual({
      notHeld: expect.stringMatching(/^this version can’t read .*suite\.json: schema: .*, and 1 more$/),
    });
    write('suite.json', concluded(good));
    write('latency/comparison.json', { ...good, schema: 0 });
    expect(await held({ previousDir: folder })).toEqual({
      notHeld: expect.stringMatching(/^this version can’t read .*comparison\.json: schema: /),
    });
  });

  it('is a mistake where there is none', async () => {
    await expect(held({ previousDir: join(folder, 'nowhere') })).rejects.toThrow('holds no suite.json');
  });
});

describe('a baseline that was asked for', () => {
  it.each(['suite.json', 'latency/comparison.json'])(
    'is a mistake where this version can not read its %s',
    async (path) => {
      write(path, { schema: 0 });
      await expect(held({ baselineDir: folder })).rejects.toThrow(`${path}: schema: `);
    },
  );
});
