import { z } from 'zod';
import { ProblemError, problem, resolveOrRefuse } from '../../contract/problems.js';
import { runDocument } from '../../render/run.js';
import { attach } from '../../run/attach/attach.js';
import { runExit } from '../../run/judge/assess.js';
import { areShardsGiven, askedShardOptions, fleetOptions, formOptions } from '../../run/plan/run-options.js';
import { plain } from '../command.js';

/** Holds the options that a driver brings to a run that another driver began. All others come from the run. */
export const attachOptions = z.strictObject({
  ...askedShardOptions.shape,
  ...fleetOptions.pick({ resultsDir: true, trustDir: true, isStrict: true }).shape,
  ...formOptions.shape,
});

/** `ringside attach RUN`: follows a run, takes over when its driver is gone, and keeps its result. */
export const command = plain({
  arguments: [{ form: '<run>', help: 'id of the run, which its driver printed' }],
  options: attachOptions,
  examples: [
    'attach 5eed0007 --shards-from kubernetes',
    'attach 5eed0007 --shard http://bench-runner-1:8080 \\\n      --shard http://bench-runner-2:8080',
  ],
  async run(session, { args: [runId = ''], ...given }) {
    const own = resolveOrRefuse(attachOptions, given);
    const fleet = { ...fleetOptions.parse({}), ...own };
    const wrong = [
      ...(/^[0-9a-f]{8}$/.test(runId) ? [] : [`<run>: expected eight hex digits, received ${runId}`]),
      ...(areShardsGiven(own) ? [] : ['--shard: expected the bench-runners of the run, received nothing']),
    ];
    if (wrong.length > 0) throw new ProblemError(wrong.map((text) => problem('badOption', text)));
    return session.measure({
      label: `attach ${runId}`,
      fleet,
      targets: [],
      work: async (context) => {
        const { result, directory, scenario } = await attach(runId, own, context);
        return {
          data: result,
          document: runDocument(result, scenario),
          isBrief: true,
          directory,
          exit: runExit(result, scenario, own.isStrict),
        };
      },
    });
  },
});
