import { type Problem, problem } from '../../contract/problems.js';
import { optionsOf } from '../../options/option.js';
import type { LoadOptions } from '../../scenarios/load-options.js';
import type { Target } from '../../targets/target.js';
import type { ExternalTarget } from '../server/external-targets.js';
import type { PlannedTarget } from '../server/planned.js';
import { addressOptions, type CompareOptions, type TargetOptions } from './run-options.js';

/** Names what differs between the two sides of each target. */
export type Axis = NonNullable<CompareOptions['axis']>;

/** Returns true if a managed target can agree to it by an option of its own. */
export function isAbleTo(axis: Axis, { options }: Pick<Target, 'options'>): boolean {
  return options !== undefined && axis in options.shape;
}

/** Returns the plans of a target without and with compression. Its server is set up alike for both. */
export function sidesOn<P extends { target: PlannedTarget; load: LoadOptions }>(axis: Axis, plan: P): P[] {
  const { load, target } = plan;
  const able =
    target.isOurs && isAbleTo(axis, target.target)
      ? { ...target, options: { ...target.options, [axis]: target.options[axis] ?? 'on' } }
      : target;
  const compression = load.compression === 'offer' ? 'offer' : 'require';
  return [
    { ...plan, target: able, load: { ...load, compression: 'off' } },
    { ...plan, target: { ...able, name: `${able.name}+${axis}` }, load: { ...load, compression } },
  ];
}

/** Returns the server of `--target-url` for a comparison, under its host as name. Adds what lacks it to `problems`. */
export function addressed(given: TargetOptions, problems: Problem[]): ExternalTarget[] {
  const { targetUrl: wsUrl } = given;
  if (wsUrl !== undefined) return [{ name: new URL(wsUrl).host, wsUrl, options: given }];
  const lacking = optionsOf(addressOptions).filter(({ key }) => given[key as keyof TargetOptions] !== undefined);
  const flags = lacking.map(({ flag }) => `--${flag}`).join(', ');
  if (flags !== '') problems.push(problem('badOption', `${flags}: goes with --target-url, which is not given`));
  return [];
}
