import type { Declaration } from '../measure/declaration.js';
import type { RunResult } from '../results/result.js';
import { headlineDoubts } from './words/doubts.js';

/** What speaks against a target's numbers: a rule of the verdict and what it says, or a doubt about a single figure (no rule). */
export interface Evidence {
  target: string;
  rule: string | undefined;
  text: string;
}

/** What speaks against the runs of a comparison, once for each target and rule, or figure of the table. */
export function evidenceOf(runs: readonly RunResult[], scenario: Declaration): Evidence[] {
  const said = new Map<string, Evidence>();
  const say = (key: string, each: Evidence): void => {
    const own = `${each.target} ${key}`;
    const isSaid = [...said.values()].some(({ target, text }) => target === each.target && text === each.text);
    if (!said.has(own) && !isSaid) said.set(own, each);
  };
  for (const run of runs) {
    const target = run.target.name;
    for (const { rule, text } of run.verdict.evidence) say(rule, { target, rule, text });
    for (const { metric, figure, text } of headlineDoubts(run, scenario))
      say(`${metric} ${figure}`, { target, rule: undefined, text });
  }
  return [...said.values()];
}
