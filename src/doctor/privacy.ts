import { dirname } from 'node:path'
import { escapeControls, redact } from '../platform/log.ts'

/** What of this machine a report does not tell, by the placeholders that stand for it. */
export interface PrivateData {
  /** Folders and files; the folders above them are not told either. */
  readonly places: readonly (readonly [path: string, placeholder: string])[]
  /** Names of the user and the machine. */
  readonly words: readonly (readonly [word: string, placeholder: string])[]
}

/** Names that tell nothing, and are also words of ordinary texts. */
const commonWords = new Set(['', 'admin', 'app', 'localhost', 'node', 'root', 'ubuntu', 'user'])

/** Makes what blanks secrets, private places and words in a text, and whatever a terminal would obey. */
export function createRedactor({ places, words }: PrivateData): (text: string) => string {
  const told = places.filter(([path]) => path !== dirname(path))
  const paths = new Map([...told.flatMap(([path]) => parentFolders(path)), ...told])
  const longestFirst = [...paths].toSorted(([one], [other]) => other.length - one.length)
  const patterns = [
    ...longestFirst.map(
      ([path, placeholder]) => [wholeWordPattern(pathSpellings(path)), placeholder] as const,
    ),
    ...words
      .filter(([word]) => !commonWords.has(word))
      .map(([word, placeholder]) => [wholeWordPattern([word]), placeholder] as const),
  ]
  return (text) =>
    escapeControls(
      patterns.reduce((left, [pattern, placeholder]) => left.replace(pattern, placeholder), redact(text)),
    )
}

/** The folders above a path; those directly below the root are the system's. */
function parentFolders(path: string): (readonly [string, string])[] {
  const parent = dirname(path)
  return dirname(parent) === dirname(dirname(parent)) ? [] : [...parentFolders(parent), [parent, '<folder>']]
}

/** As it is, inside JSON, and inside an address; the longest first, as one may begin another. */
function pathSpellings(path: string): string[] {
  const all = [path, JSON.stringify(path).slice(1, -1), path.replaceAll('\\', '/'), encodeURI(path)]
  return all.toSorted((one, other) => other.length - one.length)
}

/** Whole paths and words only: `/data` is not the beginning of `/data-folder`. */
function wholeWordPattern(texts: readonly string[]): RegExp {
  const escaped = texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  return new RegExp(String.raw`(?<![\w.-])(?:${escaped.join('|')})(?![\w-])`, 'gi')
}
