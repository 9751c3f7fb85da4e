import type { DescribedModule } from '../../contract/job.js';
import type { MetricSpec } from '../../measure/declaration.js';
import type { Scenario } from '../scenario.js';

/** Adds the metrics and thresholds that modules declare to their scenario. Results and thresholds then know them. */
export function withModules(
  scenario: Scenario,
  modules: readonly (Pick<DescribedModule, 'metrics'> & { thresholds?: readonly string[] })[],
): Scenario {
  if (modules.length === 0) return scenario;
  const declared = modules.flatMap(({ metrics }) => Object.entries(metrics));
  const specOf = (meaning: string): MetricSpec => ({
    kind: 'distribution',
    unit: 'us',
    meaning,
    of: 'target',
    stampedBy: 'audience',
  });
  return {
    ...scenario,
    metrics: { ...scenario.metrics, ...Object.fromEntries(declared.map(([name, text]) => [name, specOf(text)])) },
    thresholds: [...(scenario.thresholds ?? []), ...modules.flatMap(({ thresholds = [] }) => thresholds)],
  };
}
