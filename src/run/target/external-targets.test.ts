import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { named, naming } from '../../../test/refusal.js';
import type { Problem } from '../../contract/problems.js';
import { readExternalTarget, readTargetFiles } from './external-targets.js';

const folder = mkdtempSync(join(tmpdir(), 'ringside-own-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** As a map refers to a variable. */
const from = (name: string): string => `\${${name}}`;

function written(text: string): string {
  const path = join(folder, 'own.yml');
  writeFileSync(path, text);
  return path;
}

const mine = { name: 'mine', targetUrl: 'wss://ring.example/ws', protocol: 'ws-json' };
const faultsOf = (map: Record<string, unknown>): string[] => {
  const read = readExternalTarget(map, { PIN: 'hush' });
  return 'faults' in read ? read.faults.map(({ key, text }) => `${key}: ${text}`) : [];
};

describe('a target of the user’s own', () => {
  it('is read with the values of the environment that it names', () => {
    const map = {
      ...mine,
      header: [`Authorization: Bearer ${from('TOKEN')}`, `X-Both: ${from('A')}-${from('B')}`],
      publishUrl: from('PUBLISH'),
      publishToken: 'plain $HOME',
      restartCommand: 'systemctl restart mine',
    };
    const variables = { TOKEN: 'hush', A: '7', B: '11', PUBLISH: 'https://ring.example/_broadcast' };
    expect(readExternalTarget(map, variables)).toEqual({
      target: {
        name: 'mine',
        wsUrl: 'wss://ring.example/ws',
        options: {
          protocol: 'ws-json',
          headers: ['Authorization: Bearer hush', 'X-Both: 7-11'],
          publishUrl: 'https://ring.example/_broadcast',
          publishToken: 'plain $HOME',
          restartCommand: 'systemctl restart mine',
        },
      },
    });
  });

  it('is refused with all that is wrong, and without what came from the environment', () => {
    expect(
      faultsOf({ ...mine, name: 'uws', publishUrl: from('PIN'), statsUrl: 7, header: from('NONE'), port: 1 }),
    ).toEqual([
      naming('name:', 'uws'),
      naming('header:', 'NONE', 'nothing'),
      naming('port:', 'targetUrl', 'protocol', 'header', 'unknown'),
      naming('publishUrl:', '(hidden)'),
      naming('statsUrl:', 7),
    ]);
    expect(faultsOf({ name: 'Mine and yours' })).toEqual([naming('name:'), naming('targetUrl:', 'ws://', 'nothing')]);
  });
});

describe('a file of targets', () => {
  it('holds one, or a list', () => {
    const problems: Problem[] = [];
    const one = written('{ name: mine, targetUrl: ws://a.test, protocol: ws-json }');
    expect(readTargetFiles([one], {}, problems).map(({ name }) => name)).toEqual(['mine']);
    const two = written(
      `- { name: mine, targetUrl: ws://a.test }\n- { name: staging, targetUrl: "ws://b.test/${from('A')}" }\n`,
    );
    expect(readTargetFiles([two], { A: 'ws' }, problems).map(({ wsUrl }) => wsUrl)).toEqual([
      'ws://a.test',
      'ws://b.test/ws',
    ]);
    expect(problems).toEqual([]);
  });

  it.each([
    ['- { name: mine, targetUrl: ws://a }\n- { name: mine, targetUrl: ws://b }', ['mine']],
    ['{ name: mine, targetUrl: http://a }', ['mine: targetUrl:']],
    ['hush', []],
    ['[]', []],
  ])('is refused: %s', (text, names) => {
    const problems: Problem[] = [];
    const path = written(text);
    readTargetFiles([path], {}, problems);
    expect(problems).toEqual([named('badFile', `--target-file ${path}:`, ...names)]);
  });

  it('must be there', () => {
    const problems: Problem[] = [];
    expect(readTargetFiles(['/nowhere/own.yml'], {}, problems)).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('/nowhere/own.yml')]);
  });
});
