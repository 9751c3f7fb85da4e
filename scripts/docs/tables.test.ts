import { expect, it } from 'vitest';
import { z } from 'zod';
import { optionsTable } from './tables.js';

const schema = z.strictObject({
  rampRate: z.number().default(7).meta({ flag: 'ramp-rate', unit: 'rate', help: 'clients per second' }),
  client: z.enum(['wire', 'library']).meta({ flag: 'client', help: 'kind of client' }).default('wire'),
  hasProbe: z.boolean().default(true).meta({ flag: 'probe', help: 'prove it' }),
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'less of it' }),
  addresses: z.array(z.string()).default(['a', 'b']).meta({ flag: 'address', placeholder: 'ip', help: 'from a | b' }),
  token: z.string().default('xyzzy').meta({ flag: 'token', help: 'secret', isSecret: true }),
  name: z.string().optional().meta({ flag: 'name', help: 'its name' }),
});

it('prints a table in the order of declaration', () => {
  expect(optionsTable(schema)).toBe(
    [
      '| flag | default | meaning | environment |',
      '| --- | --- | --- | --- |',
      '| `--ramp-rate <rate>` | `7/s` | clients per second | `RINGSIDE_RAMP_RATE` |',
      '| `--client <wire\\|library>` | `wire` | kind of client | `RINGSIDE_CLIENT` |',
      '| `--no-probe` | `true` | prove it | `RINGSIDE_PROBE` |',
      '| `--quick` | `false` | less of it | `RINGSIDE_QUICK` |',
      '| `--address <ip>` | `a,b` | from a \\| b | `RINGSIDE_ADDRESS` |',
      '| `--token <text>` |  | secret | `RINGSIDE_TOKEN` |',
      '| `--name <text>` |  | its name | `RINGSIDE_NAME` |',
    ].join('\n'),
  );
});
