const secretWords = [
  ...['password', 'passwd', 'passcode', 'passphrase', 'secret', 'token', 'api[-_]?key', 'authorization', 'credential'],
  ...['session', 'jwt', 'otp', 'csrf', 'xsrf', 'signature', 'cookie'],
].join('|');

/** Names of fields, headers and parameters whose values are secrets. */
const secretName = `(?:[\\w-]*(?:${secretWords})[\\w-]*|pin|auth|sid)`;
const isSecret = new RegExp(`^${secretName}$`, 'i');

/** A secret within text: a name, what stands between, and its value. Or a token of its own. */
const secretPattern = new RegExp(
  [
    `(?<![\\w-])(?<name>${secretName})(?<between>["']?\\s*[:=]\\s*["']?)(?<value>(?:(?:bearer|basic) )?[^\\s"'&,;}]+)`,
    '(?<![\\w-])(?<token>eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]*)',
    '(?<=\\bbearer )(?<bearer>[\\w.~+/=-]+)',
  ].join('|'),
  'gi',
);

/** Characters that end a line, hide text, or change its direction. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Columns of rows that replace the secrets of a recording, by value. */
export class SecretColumns {
  readonly #byValue = new Map<string, string>();

  get names(): string[] {
    return [...this.#byValue.values()];
  }

  /** Returns the column for a secret, such as `token`, and `token2` for the second one of that name. */
  columnFor(name: string, value: string): string {
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    const word = name.replaceAll(/\W+/g, '_').replace(/^(?=\d)|^$/, '_');
    const taken = this.names;
    let column = word;
    for (let n = 2; taken.includes(column); n++) column = `${word}${n}`;
    this.#byValue.set(value, column);
    return column;
  }
}

/** Returns true for the name of a secret. */
export function isSecretName(name: string): boolean {
  return isSecret.test(name);
}

/** Returns text as a literal of JavaScript. Secrets in it become columns, on which `wrap` may call a function. */
export function textLiteral(text: string, secrets: SecretColumns, wrap = ''): string {
  const found = [...text.matchAll(secretPattern)];
  if (found.length === 0) return quoted(text);
  let literal = '';
  let from = 0;
  for (const { index, 0: whole, groups } of found) {
    const { name = '', between = '', value, token, bearer } = groups!;
    const column = `me.row.${secrets.columnFor(name || 'token', token ?? bearer ?? value!)}`;
    const filled = wrap === '' ? column : `${wrap}(${column})`;
    if (whole === text && name === '') return filled;
    literal += `${inTemplate(text.slice(from, index) + name + between)}\${${filled}}`;
    from = index + whole.length;
  }
  return `\`${literal}${inTemplate(text.slice(from))}\``;
}

function inTemplate(text: string): string {
  return escaped(text, '`').replaceAll('$', '\\$');
}

/** Returns text in single quotes. */
export function quoted(text: string): string {
  return `'${escaped(text, "'")}'`;
}

function escaped(text: string, quote: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll(unprintable, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`);
}

/** Returns a value of JSON as JavaScript. Secrets in it become columns. */
export function valueLiteral(value: unknown, secrets: SecretColumns, name = ''): string {
  const isHidden = isSecretName(name) && value !== '';
  if (typeof value === 'string')
    return isHidden ? `me.row.${secrets.columnFor(name, value)}` : textLiteral(value, secrets);
  if (typeof value === 'number' && isHidden) return `Number(me.row.${secrets.columnFor(name, String(value))})`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => valueLiteral(each, secrets, name)).join(', ')}]`;
  const fields = Object.entries(value).map(([key, each]) => `${keyLiteral(key)}: ${valueLiteral(each, secrets, key)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function keyLiteral(key: string): string {
  if (key === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key);
}
