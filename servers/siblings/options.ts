import { fail } from '../foreground.js';

/** Options with a value of every server that can be several processes. */
export const siblingOptions = ['further-ports', 'revive'] as const;

/** Where siblings listen, by default on free ports, and how long after its end each is started again, if at all. */
export function siblingWays(
  server: string,
  values: Readonly<Record<string, string>>,
): { ports: number[]; reviveAfterMs: number | undefined } {
  const wholeNumber = (flag: (typeof siblingOptions)[number], text: string): number[] => {
    if (text === '') return [];
    return /^\d+$/.test(text) ? [Number(text)] : fail(server, `--${flag} must be whole numbers, not ${text}`, 2);
  };
  const ports = (values['further-ports'] ?? '').split(',').flatMap((each) => wholeNumber('further-ports', each));
  const [reviveAfterMs] = wholeNumber('revive', values.revive ?? '');
  return { ports, reviveAfterMs };
}
