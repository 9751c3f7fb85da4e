import { expect, it } from 'vitest';
import { named } from '../../../test/refusal.js';
import { commandLine, EngineCommands } from './engine-commands.js';

const shell = (script: string) => ({ program: 'sh', args: ['-c', script] });

function commandsWith(env: Record<string, string> = {}): { commands: EngineCommands; said: string[] } {
  const said: string[] = [];
  return { commands: new EngineCommands({ PATH: process.env.PATH, ...env }, (line) => said.push(line)), said };
}

it('a command of an engine is printed as a shell takes it', () => {
  expect(commandLine('docker', ['ps', '--filter', 'label=a=b', "it's"])).toBe(
    "docker ps --filter label=a=b 'it'\\''s'",
  );
});

it('a command of an engine answers with its stdout; one that is repeated is told once', async () => {
  const { commands, said } = commandsWith({ OF_USER: '7' });
  const { program, args } = shell('echo $OF_USER; echo no >&2');
  expect([await commands.ask(program, args), await commands.ask(program, args)]).toEqual(['7\n', '7\n']);
  expect(said).toHaveLength(1);
});

it('a command of an engine reads its stdin', async () => {
  const { commands, said } = commandsWith();
  const command = shell('read word; [ "$word" = prime ]');
  for (let time = 0; time < 2; time++) await commands.pass({ ...command, stdin: 'prime\n' });
  await expect(commands.pass({ ...command, stdin: 'other\n' })).rejects.toMatchObject({
    isMissing: false,
    problems: [named('engineFailed', 1)],
  });
  expect(said).toHaveLength(3);
});

it.each([
  ['with what it printed', 'echo out; echo prime-7919 >&2; exit 7', ['exit code 7', 'prime-7919']],
  ['by a signal', 'kill -9 $$', ['SIGKILL']],
])('a command of an engine that fails says so: %s', async (_how, script, words) => {
  const { program, args } = shell(script);
  await expect(commandsWith().commands.ask(program, args)).rejects.toMatchObject({
    exitCode: 2,
    isMissing: false,
    problems: [named('engineFailed', ...words)],
  });
});

it('a command of an engine whose program is not here says so', async () => {
  const missing = { isMissing: true, problems: [named('engineFailed', 'no-such-engine ps')] };
  const { commands } = commandsWith();
  await expect(commands.ask('no-such-engine', ['ps'])).rejects.toMatchObject(missing);
  await expect(commands.pass({ program: 'no-such-engine', args: ['ps'] })).rejects.toMatchObject(missing);
});
