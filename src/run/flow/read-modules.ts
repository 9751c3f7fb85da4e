import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type DescribedModule, digestOf, jobModule, mostModuleBytes } from '../../contract/job.js';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import type { Flow } from '../../flow/api.js';
import { FlowFault, loadFlow, ModuleFolder } from '../../flow/module/load-flow.js';
import { parseThreshold } from '../../measure/threshold.js';
import { subjectsOf } from '../../results/figures.js';
import { withModules } from '../../scenarios/flow/index.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { thresholdProblem } from '../plan/thresholds.js';
import { bundleFlow } from './bundle.js';

/** A file of the user, ready to be sent to shards. */
export interface PlannedModule extends DescribedModule {
  flow: Flow;
  thresholds: readonly string[];
  /** The bundle with the rows of its data files. */
  body: Uint8Array;
  /** The bundle without rows. */
  code: string;
  /** Paths of its data files, by the path that it gives. */
  files: Readonly<Record<string, string>>;
}

/** Returns what results may tell of a module: no code, rows or results of `setup`. */
export function describedOnly({ name, digest, weight, metrics }: DescribedModule): DescribedModule {
  return { name, digest, weight, metrics };
}

/** Where `csv` and `json` of a flow note the files that they read, and where they find their text. */
const [filesKey, dataKey] = [Symbol.for('ringside.files'), Symbol.for('ringside.data')];
const shared = globalThis as { [filesKey]?: Set<string> } & typeof globalThis;

/** Bundles and imports files such as `chat.ts` and `lurker.ts=1`. Throws `ProblemError` with all that is wrong. */
export async function readModules(scenario: Scenario, given: readonly string[]): Promise<PlannedModule[]> {
  const asked = given.map((text) => {
    const [, path = text, weight = '1'] = /^(.+)=(\d+)$/.exec(text) ?? [];
    return { path, weight: Number(weight) };
  });
  const names = asked.map(({ path }) => basename(path));
  const folder = new ModuleFolder();
  const problems: Problem[] = [];
  const modules: PlannedModule[] = [];
  for (const [index, { path, weight }] of asked.entries()) {
    const name = names.filter((each) => each === names[index]).length > 1 ? path : names[index]!;
    if (!jobModule.shape.weight.safeParse(weight).success)
      problems.push(problem('badFlow', `${given[index]}: expected a weight from 1 to 1000000, received ${weight}`));
    try {
      modules.push(await readModule(path, { name, weight }, folder));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      problems.push(...error.problems);
    }
  }
  delete shared[filesKey];
  await folder.remove();
  problems.push(...declarationProblems(scenario, modules));
  if (problems.length > 0) throw new ProblemError(problems);
  return modules;
}

async function readModule(
  path: string,
  named: Pick<DescribedModule, 'name' | 'weight'>,
  folder: ModuleFolder,
): Promise<PlannedModule> {
  const code = await bundleFlow(path);
  const { flow, body, files } = await evaluated(path, code, folder, named.name);
  const metrics = Object.entries(flow.metrics ?? {});
  return {
    ...named,
    digest: digestOf(body),
    metrics: Object.fromEntries(metrics.map(([name, { meaning }]) => [name, meaning])),
    thresholds: [
      ...(flow.thresholds ?? []),
      ...metrics.flatMap(([name, { thresholds = [] }]) => thresholds.map((text) => `${name}.${withUnit(text)}`)),
    ],
    ...{ flow, body, code, files },
  };
}

/** Times of a flow are in milliseconds. */
function withUnit(threshold: string): string {
  return /[\d.]$/.test(threshold.trim()) ? `${threshold.trim()}ms` : threshold;
}

/** Imports a bundle until it asks for no further file of data. The last one holds them all, and is what workers run. */
async function evaluated(
  path: string,
  code: string,
  folder: ModuleFolder,
  name: string,
): Promise<Pick<PlannedModule, 'flow' | 'body' | 'files'>> {
  const texts: Record<string, string> = {};
  for (;;) {
    const body = Buffer.from(withData(code, texts));
    refuseLarge(name, body.length, body.length - Buffer.byteLength(code));
    const files = new Set<string>();
    shared[filesKey] = files;
    const loaded = await loadFlow(await folder.write(digestOf(body), body), name).catch((error: unknown) => {
      if (error instanceof FlowFault) return error;
      throw error;
    });
    const asked = [...files].filter((file) => !Object.hasOwn(texts, file));
    for (const file of asked) texts[file] = readData(path, file, name);
    if (asked.length > 0) continue;
    if (loaded instanceof FlowFault) throw new ProblemError(loaded.faults.map((text) => problem('badFlow', text)));
    return {
      flow: loaded,
      body,
      files: Object.fromEntries(Object.keys(texts).map((file) => [file, fileOf(path, file)])),
    };
  }
}

/** Puts texts of data before the bundle, on its first line, so that lines keep their numbers. */
function withData(code: string, texts: Readonly<Record<string, string>>): string {
  if (Object.keys(texts).length === 0) return code;
  const symbol = `Symbol.for(${JSON.stringify(Symbol.keyFor(dataKey))})`;
  return `globalThis[${symbol}]={...globalThis[${symbol}],...${JSON.stringify(texts)}};${code}`;
}

function fileOf(flow: string, file: string): string {
  return resolve(dirname(flow), file);
}

function readData(flow: string, file: string, name: string): string {
  try {
    return readFileSync(fileOf(flow, file), 'utf8');
  } catch (error) {
    const hint = 'Files are relative to the file of the flow.';
    throw problemError('badFlow', `${name}: data ${file}: ${(error as Error).message}`, hint);
  }
}

function refuseLarge(name: string, size: number, dataSize: number): void {
  if (size <= mostModuleBytes) return;
  const [most, received, data] = [mostModuleBytes, size, dataSize].map((each) => `${(each / 2 ** 20).toFixed(1)} MiB`);
  const message = `${name}: expected a bundle of at most ${most}, received ${received} with ${data} of data`;
  const hint = 'Leave out packages and rows that clients do not need, or fetch rows in `setup`.';
  throw problemError('badFlow', message, hint);
}

function declarationProblems(scenario: Scenario, modules: readonly PlannedModule[]): Problem[] {
  const subjects = subjectsOf(withModules(scenario, modules));
  return modules.flatMap(({ name, metrics, thresholds, files }, index) => [
    ...Object.entries(metrics).flatMap(([metric, meaning]) => {
      const taken = Object.hasOwn(scenario.metrics, metric) ? `${scenario.name} has it` : undefined;
      const other = modules.slice(0, index).find((each) => (each.metrics[metric] ?? meaning) !== meaning);
      const why = taken ?? (other && `${other.name} gives it another meaning`);
      return why === undefined
        ? []
        : [problem('badFlow', `${name}: metrics.${metric}: expected a name of its own; ${why}`)];
    }),
    ...Object.entries(files).flatMap(([file, place]) => {
      const other = modules.slice(0, index).find((each) => (each.files[file] ?? place) !== place);
      const message = `${name}: data ${file}: expected one file of that path, and ${other?.name} reads another`;
      return other ? [problem('badFlow', message, 'Give one of them another name.')] : [];
    }),
    ...thresholds.flatMap((text) => (parseThreshold(text, subjects) ? [] : [thresholdProblem(name, text, subjects)])),
  ]);
}
