import { Argument, type Command } from 'commander';
import { z } from 'zod';
import { calibration } from '../contract/calibration.js';
import { comparison } from '../contract/comparison.js';
import { diff } from '../contract/diff.js';
import { finding } from '../contract/finding.js';
import { history } from '../contract/history.js';
import { jobRequest } from '../contract/job.js';
import { knee } from '../contract/knee.js';
import { publishedFile } from '../contract/published.js';
import { reproduction } from '../contract/reproduction.js';
import { runResult } from '../contract/result.js';
import { suiteResult } from '../contract/suite.js';
import { suiteFile } from '../contract/suite-file.js';

const schemas: Readonly<Record<string, z.ZodType>> = {
  result: runResult,
  comparison,
  finding,
  knee,
  diff,
  history,
  reproduction,
  calibration,
  published: publishedFile,
  suite: suiteFile,
  'suite-result': suiteResult,
  job: jobRequest,
};

/** `ringside schema WHAT`: the JSON schema of a kept file, of what a command prints with `--json`, of a suite's file or of a job body. */
export function define(command: Command): void {
  command.addArgument(new Argument('<what>', 'whose schema').choices(Object.keys(schemas))).action((what: string) => {
    const schema = schemas[what];
    if (!schema) throw new Error(`no schema ${what}`);
    process.stdout.write(`${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n`);
  });
}
