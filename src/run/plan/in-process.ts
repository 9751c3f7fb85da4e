import { type Problem, problem } from '../../contract/problems.js';
import { targets } from '../../targets/list.js';
import type { PlannedTarget } from '../target/planned-target.js';

/** The names of the targets that can publish by themselves. */
export const publishersByThemselves = targets
  .filter((target) => target.endpoints({ host: '127.0.0.1', port: 1 }).inProcessUrl !== undefined)
  .map(({ name }) => name);

/** What a target lacks that is to publish by itself. */
export function inProcessProblems(planned: PlannedTarget): Problem[] {
  if (!planned.isOurs && planned.inProcessUrl === undefined)
    return [problem('missingEndpoint', '--in-process-url: expected an http:// or https:// address, received nothing')];
  if (!planned.isOurs || publishersByThemselves.includes(planned.name)) return [];
  const expected = publishersByThemselves.join(', ');
  return [
    problem(
      'missingEndpoint',
      `--target: expected one that publishes by itself (${expected}), received ${planned.name}`,
    ),
  ];
}
