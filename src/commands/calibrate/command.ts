import { resolveOrRefuse } from '../../contract/problems.js';
import { trustPlace } from '../../run/judge/trust.js';
import { fleetOptions } from '../../run/plan/run-options.js';
import { plain } from '../command.js';
import { calibrate } from './calibrate.js';
import { calibrateOptions, gridOf } from './calibration-grid.js';
import { calibrationDocument } from './print.js';

/** `ringside calibrate`: measures against known truth. Exits with 4 if a count is wrong or no load can be trusted. */
export const command = plain({
  options: calibrateOptions,
  hasFile: true,
  examples: ['calibrate', 'calibrate --clients 100 --client wire'],
  run(session, given) {
    const options = resolveOrRefuse(calibrateOptions, given);
    const grid = gridOf(options);
    const { localShards, resultsDir, trustDir, isJson, markdownFile, junitFile, htmlFile } = options;
    return session.measure({
      label: 'calibrate',
      fleet: { ...fleetOptions.parse({}), localShards, resultsDir, isJson, markdownFile, junitFile, htmlFile },
      targets: [],
      writes: { '--trust': trustPlace(trustDir) },
      work: async (context) => {
        const { found, directory, trustFile, isWhole } = await calibrate(grid, options, {
          ...context,
          begins: (label) => context.label(label),
        });
        const { points } = found;
        const isRight = points.every(({ areCountsExact }) => areCountsExact) && points.some((each) => each.isTrusted);
        const resume = isWhole ? '' : `; continue with --resume ${directory}`;
        return {
          data: found,
          document: calibrationDocument(found),
          directory,
          exit: context.interrupt.aborted ? 'interrupted' : isRight ? 'clean' : 'rig',
          note: `calibration of this machine: ${trustFile}${resume}`,
        };
      },
    });
  },
});
