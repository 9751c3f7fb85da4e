import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const workflow = parse(readFileSync('.github/workflows/nightly.yml', 'utf8')) as {
  jobs: Record<string, { steps: { run?: string }[] }>;
};
const { scripts, files } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
  files: string[];
};
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
const commands = steps.map(({ run }) => run ?? '').join('\n');

describe('the workflow of the night', () => {
  it('calls npm scripts and files that there are', () => {
    const called = [...commands.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '');
    expect(called).toContain('bench:nightly');
    for (const name of called) expect(scripts).toHaveProperty([name]);
    expect(scripts['bench:nightly']).toMatch(/ suite run scripts\/nightly\.yml$/);
    expect(existsSync('scripts/nightly.yml')).toBe(true);
    const built = [...commands.matchAll(/node dist\/(\S+)\.js/g)].map(([, name]) => `${name}.ts`);
    expect(built.filter((name) => !existsSync(name))).toEqual([]);
  });

  it('ships its suite with the package', () => {
    expect(files).toContain('scripts/nightly.yml');
  });
});
