import { parseArgs } from 'node:util';

/** For how long how many connections are held. */
export interface SoakFlags {
  minutes: number;
  connections: number;
}

/** The largest that one process here can hold, and what a bench-runner's deadline of an hour leaves to the hold. */
const limits = { minutes: 55, connections: 19_000 } as const;

/** Reads the command line. Throws a `TypeError` with all that is wrong with it. */
export function readSoakFlags(args: readonly string[]): SoakFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      connections: { type: 'string', default: '5000' },
    },
  });
  const problems: string[] = [];
  const read = (name: keyof SoakFlags): number => {
    const text = values[name];
    const value = /^\d+$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > limits[name])
      problems.push(`--${name}: expected a whole number from 1 to ${limits[name]}, received ${text}`);
    return value;
  };
  const flags = { minutes: read('minutes'), connections: read('connections') };
  if (problems.length > 0) throw new TypeError(problems.join('\n'));
  return flags;
}
