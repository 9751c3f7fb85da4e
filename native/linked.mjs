import { readFileSync } from 'node:fs';

/* Parts of ELF files, by the chapters 4 and 5 of the System V gABI, as all our platforms have them. */
const elfOf64BitsLittleEndian = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const sectionBytes = 64;
const entryBytes = 16;
const dynamicSection = 6;
const neededEntry = 1;

/** The names of the libraries that a shared object needs; none of a file that is something else. */
function neededBy(path) {
  const file = readFileSync(path);
  if (!file.subarray(0, elfOf64BitsLittleEndian.length).equals(elfOf64BitsLittleEndian)) return [];
  const number = (at) => Number(file.readBigUInt64LE(at));
  const textAt = (at) => file.toString('latin1', at, file.indexOf(0, at));
  const sectionAt = (index) => number(0x28) + index * sectionBytes;
  const contentOf = (section) => number(section + 0x18);
  const sections = Array.from({ length: file.readUInt16LE(0x3c) }, (_, index) => sectionAt(index));
  const dynamic = sections.find((section) => file.readUInt32LE(section + 4) === dynamicSection);
  if (dynamic === undefined) return [];
  const texts = contentOf(sectionAt(file.readUInt32LE(dynamic + 0x28)));
  const entries = Array.from({ length: number(dynamic + 0x20) / entryBytes }, (_, index) => index * entryBytes);
  return entries
    .map((entry) => contentOf(dynamic) + entry)
    .filter((entry) => number(entry) === neededEntry)
    .map((entry) => textAt(texts + number(entry + 8)));
}

/** The C library that a shared object was linked with, and the name that tells it; undefined if it needs none. */
export function linkedLibc(path) {
  for (const name of neededBy(path)) {
    if (/^(libc\.so\.6|ld-linux.*)$/.test(name)) return { libc: 'glibc', name };
    if (/^(libc\.so|libc\.musl-.*|ld-musl-.*)$/.test(name)) return { libc: 'musl', name };
  }
  return undefined;
}
