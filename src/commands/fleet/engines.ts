import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { composeCommand, composeHere, downCommand, numberOf } from '../../run/engines/compose.js';
import {
  benchRunners,
  deployFile,
  type EngineCommand,
  type EngineCommands,
} from '../../run/engines/engine-commands.js';
import { valued } from '../../run/plan/option-kinds.js';

export type FleetChange = 'up' | 'down';

interface Asked {
  change: FleetChange;
  /** By default the files of Ringside. */
  files?: string | undefined;
  /** By default as many as the files set. */
  shards?: number | undefined;
}

/** Returns the commands by which each engine starts and ends a fleet. */
const engines = {
  async compose({ change, files, shards }: Asked, commands: EngineCommands): Promise<EngineCommand[]> {
    const compose = await composeHere(commands);
    if (change === 'down') return [await downCommand(compose, files, commands)];
    const up = ['up', '--detach'];
    if (shards === undefined) return [composeCommand(compose, files, up)];
    if (files === undefined) return [{ ...composeCommand(compose, files, up), env: numberOf(shards) }];
    return [composeCommand(compose, files, [...up, '--scale', `${benchRunners}=${shards}`])];
  },
  async kubernetes({ change, files = deployFile('kubernetes'), shards }: Asked): Promise<EngineCommand[]> {
    const kubectl = (...args: string[]): EngineCommand => ({ program: 'kubectl', args });
    const from = existsSync(join(files, 'kustomization.yaml')) ? '--kustomize' : '--filename';
    if (change === 'down') return [kubectl('delete', '--ignore-not-found', from, files)];
    const apply = kubectl('apply', from, files);
    if (shards === undefined) return [apply];
    return [apply, kubectl('scale', `statefulset/${benchRunners}`, `--replicas=${shards}`)];
  },
} as const;

type EngineName = keyof typeof engines;

const on = z
  .enum(Object.keys(engines) as [EngineName, ...EngineName[]])
  .meta({ flag: 'on', help: 'the engine that runs the bench-runners' });
const files = z
  .string()
  .min(1)
  .optional()
  .meta(valued('files', 'path', 'Compose file, or folder of manifests; by default those of Ringside'));
const shards = z.number().int().min(1).max(1000).optional().meta({
  flag: 'shards',
  unit: 'count',
  help: 'bench-runners to start; by default as many as the files say',
});

export const changeOptions = { up: z.strictObject({ on, shards, files }), down: z.strictObject({ on, files }) };

/** Starts or ends a fleet with the tool of its engine. Throws `CommandFailed`. */
export async function applyTo(commands: EngineCommands, asked: Asked & { on: EngineName }): Promise<void> {
  for (const command of await engines[asked.on](asked, commands)) await commands.pass(command);
}
