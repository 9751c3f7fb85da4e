import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/*
 * `npm run check` runs this: it lists every line over 120 columns of the files named, or of all that Git tracks.
 * It is no TypeScript, as the check needs no build.
 */
const columns = 120;
const kinds = ['*.ts', '*.mjs', '*.js', '*.md', '*.yml', 'Dockerfile', '.ci/*'];

/** Files that Git tracks or would track. Kept results and published figures quote others. */
function tracked() {
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...kinds], { encoding: 'utf8' });
  if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`);
  const files = listed.stdout.split('\n').filter((path) => existsSync(path));
  return files.filter((path) => !/^results\/(kept|published)\//.test(path));
}

/** Numbers of the lines that are too long. Tables, addresses and pasted terminal output may be longer. */
function longLines(path) {
  let isPasted = false;
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (/^ *```/.test(line)) isPasted = line.trim() === '```text';
      const isTable = line.trimStart().startsWith('|');
      const length = [...line.replace(/https?:\S+/g, '')].length;
      return length > columns && !isTable && !isPasted ? [index + 1] : [];
    });
}

const named = process.argv.slice(2);
const found = (named.length > 0 ? named : tracked()).flatMap((path) =>
  longLines(path).map((line) => `${path}:${line}`),
);
for (const place of found) process.stdout.write(`${place}: over ${columns} columns\n`);
if (found.length > 0) process.exitCode = 1;
