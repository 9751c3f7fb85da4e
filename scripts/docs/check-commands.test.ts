import { describe, expect, it, test } from 'vitest';
import { type Known, statements, wholeProgram, wrongCommands } from './check-commands.js';

const known: Known = {
  exists: () => false,
  program: await wholeProgram(),
  scripts: {
    bench: 'node dist/src/cli/main.js compare latency --repeat 3',
    'bench:rig': 'node dist/scripts/bench.js rig',
  },
};

const inBlock = (code: string, info = 'sh no-run') =>
  wrongCommands({ path: 'page.md', text: `\`\`\`${info}\n${code}\n\`\`\`\n` }, known);
const inProse = (text: string, path = 'page.md') => wrongCommands({ path, text }, known);

describe('a block', () => {
  it.each([
    ...['npx ringside run latency --target ws --threshold lost==0 --watch', 'npx ringside schema result'],
    ...['npx ringside suite run FILE.yml --resume', 'npx ringside show a b c --force'],
    ...['npx ringside submit -- run latency --target ws', 'npm run bench -- --clients 5'],
    ...['npm run bench:rig -- --whatever', 'docker run --anything ringside'],
  ])('may hold %s', (code) => expect(inBlock(code)).toEqual([]));

  it.each([
    ['npx ringside walk', 'walk'],
    ['npx ringside run latency --taget ws', '--taget'],
    ['npx ringside run idle --broadcasts 5', '--broadcasts'],
    ['npx ringside run latency --target', 'argument missing'],
    ['npx ringside submit -- run latency --taget ws', '--taget'],
    ['npx ringside run', 'lacks'],
    ['npx ringside schema results', 'Allowed choices'],
    ['npx ringside attach', 'missing required'],
    ['npm run bunch', 'bunch'],
    ['npm run bench -- --scenario x', '--scenario'],
    ['node dist/nowhere.js', 'dist/nowhere.js'],
  ])('may not hold %s', (code, wrong) => expect(inBlock(code)).toEqual([expect.stringContaining(wrong)]));

  it('says what it is, and a shell block whether it runs', () => {
    expect(inBlock('ls', 'sh')).toHaveLength(1);
    expect(inBlock('ls', '')).toHaveLength(1);
    expect(inBlock('ls', 'sh run')).toEqual([]);
    expect(inBlock('npx ringside walk', 'text')).toEqual([]);
  });
});

describe('prose', () => {
  it.each([
    '`ringside export DIRECTORY --format FORMAT`, `ringside run … --watch`',
    '`ringside list targets|scenarios|protocols`',
    "`--threshold`, `--limit 'p95<500ms'`, `--help`",
    '`npm run bench`, `npm run test:…`, `rampRate: 200/s`, ``',
  ])('may hold %s', (text) => expect(inProse(text)).toEqual([]));

  it.each(['`ringside walk`', '`ringside run … --wach`', '`--taget`', '`npm run bunch`', '`ringside run'])(
    'may not hold %s',
    (text) => {
      expect(inProse(text)).toHaveLength(1);
    },
  );

  it('may name sources that exist, from the top or from `src/`', () => {
    const exists = (path: string) => path === 'src/wire/wire.ts';
    const text = '`wire/wire.ts` `src/wire/wire.ts` `src/NAME/index.ts` `wire.ts`\n`wire/cable.ts`';
    expect(wrongCommands({ path: 'page.md', text }, { ...known, exists })).toEqual([
      expect.stringMatching(/^page\.md:2: .*wire\/cable\.ts$/),
    ]);
  });

  it('of the servers names flags of theirs', () => expect(inProse('`--trickle`', 'servers/README.md')).toEqual([]));

  it('that is generated is right by itself', () =>
    expect(inProse('<!-- generated: x -->\n`--taget`\n<!-- end -->\n`--target`')).toEqual([]));
});

test.each([
  ['a b && c | d; e', [['a', 'b'], ['c'], ['d'], ['e']]],
  ['a b   # c d\ne', [['a', 'b'], ['e']]],
  ['a --x \\\n  --y', [['a', '--x', '--y']]],
  ["T=1 U='2 3' a 'delivery.p99<200ms' \"b c\" d\\ e", [['a', 'delivery.p99<200ms', 'b c', 'd e']]],
  ['RUN=x\na $RUN > file 2>&1', [['a', '$RUN']]],
  ['a b=c --d=e#f', [['a', 'b=c', '--d=e#f']]],
  ['', []],
])('of %j', (text, words) => expect(statements(text)).toEqual(words));
