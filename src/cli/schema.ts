import { Argument, type Command } from 'commander';
import { z } from 'zod';
import { comparison } from '../contract/comparison.js';
import { finding } from '../contract/finding.js';
import { jobRequest } from '../contract/job.js';
import { knee } from '../contract/knee.js';
import { runResult } from '../contract/result.js';
import { suiteResult } from '../contract/suite.js';
import { suiteFile } from '../contract/suite-file.js';

const schemas: Readonly<Record<string, z.ZodType>> = {
  result: runResult,
  comparison,
  finding,
  knee,
  suite: suiteFile,
  'suite-result': suiteResult,
  job: jobRequest,
};

/** `ringside schema result|comparison|finding|knee|suite|suite-result|job`: the JSON schema of a kept file, a suite's file or a job body. */
export function define(command: Command): void {
  command.addArgument(new Argument('<what>', 'whose schema').choices(Object.keys(schemas))).action((what: string) => {
    const schema = schemas[what];
    if (!schema) throw new Error(`no schema ${what}`);
    process.stdout.write(`${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n`);
  });
}
