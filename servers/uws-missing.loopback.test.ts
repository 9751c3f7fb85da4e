import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { built } from '../test/built.js';

const folder = mkdtempSync(join(tmpdir(), 'ringside-uws-'));

afterEach(() => rmSync(folder, { recursive: true }));

it('says in one line that uWebSockets.js has no binary for this platform, and exits 2', () => {
  const library = join(folder, 'node_modules', 'uWebSockets.js');
  mkdirSync(library, { recursive: true });
  writeFileSync(join(library, 'package.json'), '{"name":"uWebSockets.js","version":"2.3.5","main":"index.js"}');
  writeFileSync(join(library, 'index.js'), 'throw new Error("supports only other platforms.\\n\\nreally");');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  cpSync(built(''), join(folder, 'dist'), { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'dist/servers/uws/main.js')], {
    encoding: 'utf8',
  });
  const line = /^uws: .*uWebSockets\.js.*supports only other platforms\. really\n$/;
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(line)]);
});
