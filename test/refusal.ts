import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Problem, ProblemCode } from '../src/contract/problems.js';
import type { Command, Ended } from './command.js';

/** Set for a command that prints its problems as a JSON document, whatever its flags. */
export const asJson = { RINGSIDE_JSON: '1' };

/** The problems that a command printed under `asJson`. */
export function problemsIn({ stdout }: Pick<Ended, 'stdout'>): Problem[] {
  return (JSON.parse(stdout) as { problems: Problem[] }).problems;
}

/** The problems of a refusal, started with `asJson`, that kept nothing and left no process. */
export async function refusal(command: Command): Promise<Problem[]> {
  const ended = await command.ended;
  expect(ended).toMatchObject({ code: 2, signal: null });
  expect(command.family()).toEqual([]);
  const kept = readdirSync(command.folder).flatMap((name) => readdirSync(join(command.folder, name)));
  expect(kept).toEqual([]);
  return problemsIn(ended);
}

/** Matches a problem of this code whose message contains all of these names and values. */
export function named(code: ProblemCode, ...names: readonly (string | number)[]): Problem {
  return expect.objectContaining({ code, message: naming(...names) });
}

/** Matches a text that contains all of these names and values; no number may be a part of a longer one. */
export function naming(...names: readonly (string | number)[]): string {
  const forms = names.map((name) => {
    const text = String(name);
    return `${/^\d/.test(text) ? '(?<!\\d)' : ''}${escaped(text)}${/\d$/.test(text) ? '(?!\\d)' : ''}`;
  });
  return expect.stringMatching(new RegExp(`^${forms.map((form) => `(?=[\\s\\S]*${form})`).join('')}`));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
