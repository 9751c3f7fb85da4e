import { type Problem, problem } from '../../contract/problems.js';
import { fileKey, optionsOf } from '../../options/option.js';
import { resolveOptions } from '../../options/resolve.js';
import { runtimes } from '../../targets/needs/list.js';
import type { Target } from '../../targets/target.js';
import type { FleetOptions } from '../plan/run-options.js';
import type { PlannedTarget } from './planned.js';

/** Returns the values of `--target-option` by target. Each key needs a target that has it. */
export function targetOptionValues(
  texts: readonly string[],
  targets: readonly Target[],
  problems: Problem[],
): Record<string, unknown>[] {
  const given: Record<string, string> = {};
  for (const text of texts) {
    const [, key, value] = /^([a-z][a-z-]*)=(.*)$/s.exec(text) ?? [];
    if (key === undefined || value === undefined) problems.push(wrong(`expected key=value, received ${text}`));
    else given[key] = value;
  }
  const known = new Set(targets.flatMap(({ options }) => (options ? optionsOf(options).map(({ flag }) => flag) : [])));
  for (const key of Object.keys(given).filter((each) => !known.has(each))) {
    const names = targets.map(({ name }) => name).join(', ');
    const takes = known.size > 0 ? `expected one of ${[...known].join(', ')}` : `${names} takes none`;
    problems.push(wrong(`${takes}, received ${key}`));
  }
  return targets.map((target) => valuesFor(target, given, problems));
}

function valuesFor(target: Target, given: Record<string, string>, problems: Problem[]): Record<string, unknown> {
  if (!target.options) return {};
  const entries = optionsOf(target.options).flatMap((option) =>
    given[option.flag] === undefined ? [] : [[fileKey(option), given[option.flag]] as const],
  );
  const resolved = resolveOptions(target.options, { file: Object.fromEntries(entries) });
  if (resolved.ok) return resolved.values;
  problems.push(
    ...resolved.issues.map(({ option, expected, received }) =>
      wrong(`${option.replace(' in the file', '')}: expected ${expected}, received ${received}`),
    ),
  );
  return {};
}

function wrong(text: string): Problem {
  return problem('badOption', `--target-option: ${text}`);
}

/** Gives managed targets the runtime and the options that the user names for them. */
export function equip(
  planned: readonly PlannedTarget[],
  {
    targetRuntime,
    targetSettings,
    series = [],
  }: Pick<FleetOptions, 'targetRuntime' | 'targetSettings'> & Partial<Pick<FleetOptions, 'series'>>,
  problems: Problem[],
): void {
  const blind = series.length > 0 && planned.find((each) => (each.metricsUrl ?? ownMetricsUrl(each)) === undefined);
  if (blind) problems.push(problem('badOption', '--series: expected --target-metrics beside it, received nothing'));
  giveRuntime(planned, targetRuntime, problems);
  const managed = planned.filter((each) => each.isOurs);
  if (managed.length === 0 && targetSettings.length > 0) problems.push(wrong('goes with --target, which is not given'));
  if (managed.length === 0) return;
  const chosen = managed.map(({ target }) => target);
  for (const [index, values] of targetOptionValues(targetSettings, chosen, problems).entries())
    Object.assign(managed[index] as object, { options: values });
}

function ownMetricsUrl(planned: PlannedTarget): string | undefined {
  return planned.isOurs ? planned.target.endpoints({ host: '127.0.0.1', port: 1 }).metricsUrl : undefined;
}

/** Puts the planned targets that run on Node on the named runtime. At least one target must run on Node. */
export function giveRuntime(planned: readonly PlannedTarget[], name: string | undefined, problems: Problem[]): void {
  const runtime = runtimes.find((each) => each.name === name);
  if (!runtime) return;
  let isTaken = false;
  for (const each of planned) {
    if (!each.isOurs || !each.target.on) continue;
    each.target = each.target.on(runtime);
    isTaken = true;
  }
  const names = planned.map((each) => each.name).join(', ');
  if (!isTaken)
    problems.push(problem('badOption', `--target-runtime: expected a managed target on Node, received ${names}`));
}
