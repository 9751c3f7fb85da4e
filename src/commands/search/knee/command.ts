import { z } from 'zod';
import { resumeNote } from '../../../experiment/journal.js';
import { statementWords } from '../../../render/words/statement.js';
import type { KneeTry } from '../../../results/search.js';
import { plain } from '../../command.js';
import { findKnees } from './knee.js';
import { kneeOptions, kneeSchema, planKnee, scenario } from './plan.js';
import { kneeDocument } from './print.js';

/** `ringside knee`: finds the rate at which a target jams. Exits with 4 if the rig stopped first. */
export const command = plain({
  options: kneeSchema,
  hasFile: true,
  load: { scenario, options: z.strictObject({ ...kneeOptions.shape, ...scenario.options.shape }) },
  run(session, given) {
    const kneePlan = planKnee(given);
    const { plan } = kneePlan;
    return session.measure({
      label: 'knee',
      fleet: plan.fleet,
      targets: [plan.target],
      work: async (context) => {
        const { knee, directory, exit } = await findKnees(kneePlan, {
          ...context,
          begins: (label) => context.label(`knee ${plan.target.name}  ${label}`),
          tried: (label, one) => context.note(`${label}: ${inWords(one)}`),
        });
        return { data: knee, document: kneeDocument(knee), directory, ...resumeNote(directory, exit), exit };
      },
    });
  },
});

function inWords({ holds, signs, why: open }: KneeTry): string {
  const why = holds === 'open' ? open : signs.map(({ text }) => text);
  return [statementWords.keepsUp[holds], ...why].join('; ');
}
