import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { built } from '../../../test/built.js';
import type { Command } from '../../../test/command.js';
import { latencyFlags } from '../../../test/latency.js';
import { filesIn, workplace } from '../../../test/workplace.js';
import { exitCodes } from '../../contract/exit-codes.js';
import { type RunResult, runResult } from '../../results/result.js';
import { exitOf } from '../../run/judge/assess.js';
import { scenarioByName } from '../../scenarios/list.js';

const place = workplace();
const latency = scenarioByName('latency')!;
const ringside = `"${process.execPath}" "${built('src/cli/main.js')}"`;
const run = `${ringside} run latency --target ws ${latencyFlags(3, 23).join(' ')}`;
const hasFull = existsSync('/dev/full');
const hasPty = spawnSync('python3', ['-c', 'import pty']).status === 0;

/** The one result that a command has kept. */
function keptBy({ folder }: Command): RunResult {
  const results = join(folder, 'results');
  const files = filesIn(results).filter((file) => file.endsWith('result.json'));
  expect(files).toHaveLength(1);
  return runResult.parse(JSON.parse(readFileSync(join(results, files[0]!), 'utf8')));
}

/** Runs a shell script that leaves the exit code of Ringside in the file `code`. */
async function outcomeOf(script: string) {
  const command = place.start('sh', ['-c', script]);
  const { stderr } = await command.ended;
  return { command, stderr, code: Number(readFileSync(join(command.folder, 'code'), 'utf8')) };
}

describe('a run', () => {
  it.each([
    ['whose stderr nobody reads after the first line, before its load', `{ ${run} 2>&1; echo $? > code; } | head -1`],
    ['whose stderr nobody reads during its load', `{ ${run} 2>&1; echo $? > code; } | head -2`],
    ['whose stdout nobody reads after the first line', `{ ${run}; echo $? > code; } | head -1`],
    ['without a stderr', `${run} 2>&-; echo $? > code`],
    ['without any of the three', `${run} 0<&- >&- 2>&-; echo $? > code`],
  ])('%s is kept, and ends as it would', async (_of, script) => {
    const { command, code } = await outcomeOf(script);
    const result = keptBy(command);
    expect([result.stop.code, code]).toEqual(['completed', exitCodes[exitOf(result, latency)].code]);
    expect(command.family()).toEqual([]);
  });

  it.runIf(hasFull)('whose stderr is on a full disk is kept, and ends as it would', async () => {
    const { command, code } = await outcomeOf(`${run} 2>/dev/full; echo $? > code`);
    const result = keptBy(command);
    expect([result.stop.code, code]).toEqual(['completed', exitCodes[exitOf(result, latency)].code]);
  });

  it.runIf(hasFull).each(['', '--json'])(
    'whose figures stdout does not take is kept, and not clean: %s',
    async (flag) => {
      const { command, code, stderr } = await outcomeOf(`${run} ${flag} > /dev/full; echo $? > code`);
      expect([keptBy(command).stop.code, code]).toEqual(['completed', exitCodes.rig.code]);
      expect(stderr).toMatch(/^error: stdout .*ENOSPC/m);
      expect(stderr).not.toContain('fault of ringside');
    },
  );

  it('on a file system without room prints its figures, is not clean, and leaves no directory', async () => {
    const { command, code, stderr } = await outcomeOf(`ulimit -f 1; ${run} --json | cat; ${run} > out; echo $? > code`);
    expect(code).toBe(exitCodes.rig.code);
    expect(stderr.match(/^error: .* could not be written whole: EFBIG/gm)).toHaveLength(2);
    expect(filesIn(join(command.folder, 'results'))).toEqual([]);
    const { stdout } = await command.ended;
    expect(runResult.parse(JSON.parse(stdout)).stop.code).toBe('completed');
  });

  it.runIf(hasPty)('whose terminal is closed keeps what it measured, as an interrupted one', async () => {
    const command = place.start('python3', [
      '-c',
      closesTerminal,
      process.execPath,
      built('src/cli/main.js'),
      'run',
      'latency',
      '--target',
      'ws',
      ...latencyFlags(3, 9973),
    ]);
    const { stdout, stderr } = await command.ended;
    expect([stdout, stderr]).toEqual([`${exitCodes.interrupted.code}\n`, '']);
    expect(keptBy(command).stop.code).toBe('interrupted');
    expect(command.family('main.js')).toEqual([]);
  });
});

it.runIf(hasFull)('a refusal that nobody can read is a refusal', async () => {
  const { code } = await outcomeOf(`${ringside} run latency --target none 2>/dev/full; echo $? > code`);
  expect(code).toBe(exitCodes.input.code);
});

it.runIf(hasFull)('what is no run ends by what stdout does not take, too', async () => {
  const { code } = await outcomeOf(`${ringside} schema result > /dev/full; echo $? > code`);
  expect(code).toBe(exitCodes.rig.code);
});

/** Starts a command on a terminal of its own, closes that once the command publishes, and prints how it ended: its exit code, or below 0 the signal. */
const closesTerminal = `
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
seen = b''
while b'publish' not in seen:
    seen += os.read(terminal, 65536)
os.kill(pid, 1)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
