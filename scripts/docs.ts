import { readFileSync, writeFileSync } from 'node:fs';
import { blocks } from './docs/blocks.js';

/** From dist/scripts to the top of the checkout. */
const top = new URL('../../', import.meta.url);
const isCheck = process.argv.includes('--check');

/** Fills each `<!-- generated: NAME -->` … `<!-- end -->` of a page from the block of that name. Throws on a name that there is not. */
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

const stale: string[] = [];
const used = new Set<string>();
for (const page of ['README.md', 'src/README.md', 'servers/README.md']) {
  const before = readFileSync(new URL(page, top), 'utf8');
  for (const [, name = ''] of before.matchAll(/<!-- generated: (.+?) -->/g)) used.add(name);
  const after = fill(before);
  if (after === before) continue;
  stale.push(page);
  if (!isCheck) writeFileSync(new URL(page, top), after);
}
const unused = Object.keys(blocks).filter((name) => !used.has(name));
if (unused.length > 0) {
  process.stderr.write(`no page shows the generated block ${unused.join(', ')}\n`);
  process.exitCode = 1;
}
if (isCheck && stale.length > 0) {
  process.stderr.write(`stale: ${stale.join(', ')}; run \`npm run docs\`\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(stale.length > 0 ? `written: ${stale.join(', ')}\n` : 'docs are up to date\n');
}
