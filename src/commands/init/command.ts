import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { valued } from '../../run/plan/option-kinds.js';
import { type CommandGroup, plain } from '../command.js';
import { targetFile } from './target-file.js';

export const initOptions = z.strictObject({
  file: z
    .string()
    .default('target.yml')
    .meta(valued('file', 'file', 'file to write, which must not exist; - is stdout')),
});

const target = plain({
  summary: 'write a target file with an example of each possibility',
  flags: initOptions,
  examples: ['init target', 'init target --file -'],
  async run(session, { own: { file } }) {
    if (file === '-') return session.print(targetFile);
    await writeFile(file, targetFile, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      const hint = 'Give the name of a new file, or - for stdout.';
      throw new ProblemError([
        problem('badOption', `--file: expected a new file, received ${file} (${error.code})`, hint),
      ]);
    });
    session.note(`written to ${file}: ringside try ${file} shows what one client and your server say`);
  },
});

/** `ringside init target`: a target file to fill in. */
export const command: CommandGroup = { commands: { target } };
