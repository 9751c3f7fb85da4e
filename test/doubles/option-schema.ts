import { z } from 'zod';

/** Options with a field of each kind. */
export const everyKind = z.strictObject({
  rampRate: z.number().default(7).meta({ flag: 'ramp-rate', unit: 'rate', help: 'clients per second' }),
  client: z.enum(['wire', 'library']).meta({ flag: 'client', help: 'kind of client' }).default('wire'),
  hasProbe: z.boolean().default(true).meta({ flag: 'probe', help: 'prove it' }),
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'less of it' }),
  addresses: z.array(z.string()).default(['a', 'b']).meta({ flag: 'address', placeholder: 'ip', help: 'from a | b' }),
  token: z.string().default('xyzzy').meta({ flag: 'token', help: 'secret', isSecret: true }),
  name: z.string().optional().meta({ flag: 'name', help: 'its name' }),
});
