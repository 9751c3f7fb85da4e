import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { blocks } from './docs/blocks.js';
import { wholeProgram, wrongCommands } from './docs/check-commands.js';
import { deadLinks, failedFences, longReadme, type Page, readPages, top } from './docs/fences.js';

const isCheck = process.argv.includes('--check');

/** Fills each `<!-- generated: NAME -->` … `<!-- end -->` of a page. Throws on an unknown name. */
function fill(text: string): string {
  return text.replace(
    /(<!-- generated: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_all, open: string, name: string, close: string) => {
      const block = blocks[name];
      if (!block)
        throw new Error(`there is no generated block called ${name}; there are ${Object.keys(blocks).join(', ')}`);
      return `${open}${block()}\n${close}`;
    },
  );
}

function unusedBlocks(pages: readonly Page[]): string[] {
  const isUsed = (name: string): boolean => pages.some(({ text }) => text.includes(`<!-- generated: ${name} -->\n`));
  return Object.keys(blocks)
    .filter((name) => !isUsed(name))
    .map((name) => `no page shows the generated block ${name}`);
}

async function faultsOf(pages: readonly Page[]): Promise<string[]> {
  const { scripts } = JSON.parse(readFileSync(`${top}package.json`, 'utf8')) as { scripts: Record<string, string> };
  const exists = (path: string): boolean => existsSync(`${top}${path}`);
  const known = { program: await wholeProgram(), scripts, exists };
  const onPages = pages.flatMap((page) => [
    ...wrongCommands(page, known),
    ...longReadme(page),
    ...deadLinks(page, pages, exists),
  ]);
  return [...unusedBlocks(pages), ...onPages, ...(isCheck ? failedFences(pages, top) : [])];
}

const before = readPages();
const after = before.map(({ path, text }) => ({ path, text: fill(text) }));
const stale = after.filter(({ text }, index) => text !== before[index]?.text);
if (!isCheck) for (const { path, text } of stale) writeFileSync(`${top}${path}`, text);
const staleness = isCheck ? stale.map(({ path }) => `${path} is stale; run \`npm run docs\``) : [];
const faults = [...staleness, ...(await faultsOf(after))];
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exitCode = 1;
} else
  process.stdout.write(
    stale.length > 0 ? `written: ${stale.map(({ path }) => path).join(', ')}\n` : 'docs are up to date\n',
  );
