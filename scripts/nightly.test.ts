import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';

interface Step {
  name?: string;
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Workflow {
  on: { schedule: { cron: string }[]; workflow_dispatch: null };
  permissions: Record<string, string>;
  jobs: Record<string, { 'timeout-minutes': number; steps: Step[] }>;
}

const path = '.github/workflows/nightly.yml';
const text = readFileSync(path, 'utf8');
const workflow = parse(text) as Workflow;
const { scripts, files } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
  files: string[];
};
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
const commands = steps.map(({ run }) => run ?? '').join('\n');

describe('the workflow of the night', () => {
  it('is whole YAML, runs every night and on demand', () => {
    const { errors, warnings } = parseDocument(text);
    expect([...errors, ...warnings]).toEqual([]);
    expect(workflow.on.schedule[0]?.cron).toMatch(/^(\d+|\*)( (\d+|\*)){4}$/);
    expect(Object.keys(workflow.on)).toContain('workflow_dispatch');
    for (const { uses, run } of steps) expect([uses, run].filter((each) => each !== undefined)).toHaveLength(1);
  });

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

  it('keeps every night, also one that failed, where the next one looks for it', () => {
    const keeping = steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
    expect(keeping).toMatchObject({ if: 'always()', with: { name: 'nightly', path: 'results/nightly' } });
    expect(commands).toContain('--results results/nightly');
    expect(commands).toContain('gh run download "$run" --name nightly --dir nights');
    expect(commands).toContain('--baseline nights');
  });

  it('ends as the suite did, which alone says what may be accepted', () => {
    expect(commands).toContain('--accept-limited');
    expect(steps.at(-1)?.run).toMatch(/^exit '\$\{\{ steps\.suite\.outputs\.code \}\}'$/);
  });

  it('may open an issue, and does if a threshold or the baseline is broken', () => {
    expect(workflow.permissions).toEqual({ actions: 'read', contents: 'read', issues: 'write' });
    const opening = steps.find(({ run }) => run?.includes('gh issue create'));
    expect(opening?.if).toBe("steps.suite.outputs.code == '3'");
    expect(opening?.run).toMatch(/suite report results\/nightly --markdown - .*> issue\.md\n.* --body-file issue\.md/s);
  });
});
