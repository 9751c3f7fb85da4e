import { z } from 'zod';
import { compare } from '../../experiment/compare.js';
import { resumeOptions } from '../../experiment/journal.js';
import { minRuns } from '../../measure/stats/estimate.js';
import { bracketSchema, planRun, readingWithout, valuesOf } from '../../run/plan/plan.js';
import { scenarios } from '../../scenarios/list.js';
import { clientKinds } from '../../scenarios/load-options.js';
import type { ScenarioCommand } from '../command.js';
import { measureComparison } from '../compare/command.js';
import { bracketDocument } from './print.js';

/** `ringside bracket latency`: runs one load through wire clients and the real library of the protocol, interleaved. */
export const command: ScenarioCommand = {
  scenarios: scenarios.filter(({ name }) => name === 'latency'),
  schemaOf: (scenario) => z.strictObject({ ...bracketSchema(scenario).shape, ...resumeOptions.shape }),
  run(session, scenario, read) {
    const { resume } = valuesOf(resumeOptions, read);
    const { repeat, isProving: _, ...plan } = planRun(scenario, readingWithout(resumeOptions, read));
    const entrants = clientKinds.map((client) => ({
      plan: { ...plan, load: { ...plan.load, client } },
      label: client,
    }));
    return measureComparison(session, scenario, [plan], {
      fleet: plan.fleet,
      work: (context) => compare(entrants, { repeat: Math.max(repeat, minRuns) }, context, { resume }),
      documentOf: bracketDocument,
    });
  },
};
