import { byteOrderMark, type TextSource } from './encoding.ts'

/** Ends of lines other than LF: CR LF, CR, NEL, and the line and paragraph separators of Unicode. */
const otherLineEnds = /\r\n|[\r\u0085\u2028\u2029]/g

/**
 * Characters that are removed: control characters except tab and line ends; embedding, override and isolate controls of
 * bidirectional text (UAX 9); deprecated format characters, annotation marks and byte order marks inside a text; and tags
 * (U+E0000) that follow no flag. Joiners stay: scripts and emoji need them.
 */
const unwanted =
  // oxlint-disable-next-line no-control-regex -- the pattern matches them
  /[\0-\x08\v\f\x0E-\x1F\x7F-\x84\x86-\x9F\u202A-\u202E\u2066-\u206F\uFEFF\uFFF9-\uFFFB]|(?<![\u{1F3F4}\u{E0020}-\u{E007F}])[\u{E0000}-\u{E007F}]+/gu

/** Marks that set the direction of what is beside them: needed in right-to-left text only. */
const directionMarks = /[\u061C\u200E\u200F]/g
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u

/** Removes control and bidirectional characters from a text, except tabs and line ends. */
export function removeControls(text: string): string {
  const clean = text.replaceAll(unwanted, '')
  return rightToLeft.test(clean) ? clean : clean.replaceAll(directionMarks, '')
}

/** Removes control and bidirectional characters from a text that a model wrote. Lines end with LF; tabs become spaces. */
export function plainModelText(text: string): string {
  return removeControls(text.replaceAll(otherLineEnds, '\n').replaceAll('\t', ' ')).replaceAll(/\p{Cs}/gu, '')
}

/**
 * Returns a text file without control and bidirectional characters. If it has any, the result is UTF-8; otherwise it is
 * the same object.
 */
export function withoutControls(source: TextSource): TextSource {
  const text = removeControls(source.text)
  if (text === source.text) return source
  const mark = source.bom ? byteOrderMark('utf-8') : new Uint8Array()
  return { bytes: Buffer.concat([mark, Buffer.from(text)]), encoding: 'utf-8', bom: source.bom, text }
}
