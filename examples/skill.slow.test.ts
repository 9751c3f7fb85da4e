import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../src/units/package-files.js';
import { workplace } from '../test/workplace.js';

const place = workplace();
const skill = readFileSync(packageFile('examples/skill/SKILL.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...skill.matchAll(new RegExp(`^\`\`\`${language}\\n(.+?)^\`\`\``, 'gms'))].map(([, text = '']) => text);
const commands = blocks('sh').flatMap((text) =>
  text
    .replaceAll(/\\\n */g, '')
    .trim()
    .split('\n'),
);

/** The words of a command, without `npx ringside`. Quotes are single. */
function wordsOf(command: string): string[] {
  const [npx, ringside, ...words] = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare!,
  );
  expect([npx, ringside]).toEqual(['npx', 'ringside']);
  return words;
}

describe.concurrent('the skill', () => {
  let here: (text: string) => string;

  beforeAll(async () => {
    const server = place.start(process.execPath, [packageFile('examples/servers/chat.mjs')], { PORT: '0' });
    const [, port] = await server.said('stdout', /port (\d+)\n/);
    here = (text) => text.replaceAll('127.0.0.1:4001', `127.0.0.1:${port}`);
    writeFileSync(join(place.folder, 'target.yml'), here(blocks('yaml').join('')));
    writeFileSync(join(place.folder, 'flow.ts'), blocks('ts').join(''));
  });

  it.each(commands)('has a command that works: %s', async (command) => {
    const words = wordsOf(here(command)).map((word) =>
      /^\w+\.(yml|ts)$/.test(word) ? join(place.folder, word) : word,
    );
    // The default budget may not be enough beside other work.
    const ended = await place.run(words, { RINGSIDE_BUDGET: '5m' });
    // A busy machine may leave an order open (4).
    expect([0, 4], ended.stderr).toContain(ended.code);
  });
});

it('llms.txt names pages that exist', () => {
  const text = readFileSync(packageFile('llms.txt'), 'utf8');
  const paths = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) expect(readFileSync(packageFile(path), 'utf8')).not.toBe('');
});
