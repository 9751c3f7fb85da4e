import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeWholeFile } from './whole-file.js';

const folder = mkdtempSync(join(tmpdir(), 'ringside-whole-'));
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

async function* failing(): AsyncGenerator<string> {
  yield 'half of';
  throw new Error('the samples are damaged');
}

describe('a file that is written whole', () => {
  it('is there at once, through a link, with the rights that it had', async () => {
    writeFileSync(at('old'), 'before', { mode: 0o640 });
    symlinkSync(at('old'), at('link'));
    await writeWholeFile(at('link'), ['af', 'ter']);
    expect([readFileSync(at('old'), 'utf8'), statSync(at('old')).mode & 0o777]).toEqual(['after', 0o640]);
    await writeWholeFile(at('new'), ['there']);
    expect(readFileSync(at('new'), 'utf8')).toBe('there');
    expect(readdirSync(folder).sort()).toEqual(['link', 'new', 'old']);
  });

  it('stays as it was where its text can’t be made, and leaves nothing beside it', async () => {
    writeFileSync(at('kept'), 'before');
    await expect(writeWholeFile(at('kept'), failing())).rejects.toThrow('the samples are damaged');
    await expect(writeWholeFile(at('never'), failing())).rejects.toThrow('the samples are damaged');
    expect(readFileSync(at('kept'), 'utf8')).toBe('before');
    expect(readdirSync(folder).filter((name) => /never|kept/.test(name))).toEqual(['kept']);
  });

  it('is no device, which is written to as it is', async () => {
    await writeWholeFile('/dev/null', ['gone']);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('has to have a place', async () => {
    await expect(writeWholeFile(at('no/where'), ['text'])).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' });
    await expect(writeWholeFile(folder, ['text'])).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
