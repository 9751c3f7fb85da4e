import { resolve } from 'node:path';
import { isMap } from '../../units/yaml-file.js';

/** The keys of `clients` in a target file, by the option of `run` that each stands for. */
const keys = { users: 'file', reuseUsers: 'reuse', login: 'login' } as const;

/**
 * The options that `clients` of a target file in that folder stands for, as a job file names them. What is no option
 * stays under its own name, to be refused.
 */
export function optionsOfClients(clients: unknown, folder: string): Record<string, unknown> {
  if (!isMap(clients)) return { clients };
  const { file, reuse, login, ...unknown } = clients;
  return {
    ...Object.fromEntries(Object.entries(unknown).map(([key, value]) => [`clients.${key}`, value])),
    ...(file !== undefined && { users: typeof file === 'string' ? resolve(folder, file) : file }),
    ...(reuse !== undefined && { reuseUsers: reuse }),
    ...(login !== undefined && { login: JSON.stringify(login) }),
  };
}

/** Where a target file has an option of `optionsOfClients`. */
export function placeInClients(option: string): string {
  return option in keys ? `clients.${keys[option as keyof typeof keys]}` : option;
}
