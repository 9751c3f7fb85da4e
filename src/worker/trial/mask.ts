import { urlEncoded } from '../../units/client-upgrade.js';

/** Whether a text is so long that it stands nowhere by chance. */
const isLong = (text: string): boolean => text.length >= 4;

/** Hides values that are secret in what clients and a target say. */
export class Mask {
  readonly #secrets = new Set<string>();
  #pattern: RegExp | undefined;

  /** A short one is hidden only where it stands alone. */
  add(values: readonly string[]): void {
    for (const value of values.filter((each) => each !== '')) {
      const written = [value, JSON.stringify(value).slice(1, -1), urlEncoded(value)];
      // As `partsOf` reads bytes.
      for (const text of [...written, Buffer.from(value).toString('latin1')]) this.#secrets.add(text);
    }
    const texts = [...this.#secrets].sort((a, b) => b.length - a.length);
    const patterns = texts.map((text) => (isLong(text) ? escaped(text) : `(?<!\\w)${escaped(text)}(?!\\w)`));
    this.#pattern = texts.length === 0 ? undefined : new RegExp(patterns.join('|'), 'g');
  }

  /** A text without the secrets in it. */
  hide(text: string): string {
    return this.#partsOf(text).join(hidden);
  }

  /** Bytes in hexadecimal, without the secrets in them. */
  hexOf(bytes: Uint8Array): string {
    const parts = this.#partsOf(Buffer.from(bytes).toString('latin1'));
    return parts.map((part) => Buffer.from(part, 'latin1').toString('hex')).join(hidden);
  }

  #partsOf(text: string): string[] {
    return this.#pattern === undefined ? [text] : text.split(this.#pattern);
  }
}

const hidden = '(hidden)';

function escaped(text: string): string {
  return text.replaceAll(/[\^$.*+?()[\]{}|/-]/g, '\\$&');
}
