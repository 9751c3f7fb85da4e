import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { type Problem, problem } from '../../contract/problems.js';
import { protocolByName } from '../../protocols/list.js';
import type { TargetOptions } from '../plan/run-options.js';

/** Options that describe messages, each of which makes `messages` the protocol. */
const describing = ['messages', 'message', 'messageFile', 'match', 'hello', 'ready'] as const;

/** The flag of a part of a description that has one. */
const flags: Readonly<Record<string, string>> = {
  'echo.send': '--message',
  'echo.match': '--match',
  echo: '--message',
  hello: '--hello',
  ready: '--ready',
};

/** The given protocol, or the one of described messages where some are given. */
export function protocolOf(given: TargetOptions): string | undefined {
  return (
    given.protocol ??
    (describing.some((key) => given[key as keyof TargetOptions] !== undefined) ? 'messages' : undefined)
  );
}

/** Replaces a file of a message by what it holds: text as it is, other bytes as such. */
export function withMessageOfFile(
  { messageFile, ...values }: Readonly<Record<string, unknown>>,
  problems: Problem[],
): Record<string, unknown> {
  if (messageFile === undefined) return values;
  if (values.message !== undefined)
    problems.push(problem('badOption', '--message-file: expected no --message beside it'));
  try {
    const bytes = readFileSync(String(messageFile));
    return { ...values, message: isUtf8(bytes) ? bytes.toString() : `{base64: ${bytes.toString('base64')}}` };
  } catch (error) {
    problems.push(problem('badFile', `--message-file: ${(error as Error).message}`));
    return values;
  }
}

/** What is wrong with messages that options describe. `slots`: those that clients have beyond their number. */
export function messageProblems(
  protocol: string,
  options: Record<string, unknown>,
  slots: readonly string[] | undefined,
): Problem[] {
  const faults = protocolByName(protocol)?.faults?.(options, slots) ?? [];
  return faults.map(({ key, text }) => problem('badOption', `${flags[key] ?? `--messages ${key}`}: ${text}`));
}
