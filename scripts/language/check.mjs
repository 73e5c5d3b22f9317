// Finds discouraged phrases in docs, comments and texts. Prints them, and exits with 1, unless an exception names them.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const read = (name) => readFileSync(join(root, name), 'utf8')
const phrases = JSON.parse(read('scripts/language/phrases.json'))
const exceptions = JSON.parse(read('scripts/language/exceptions.json'))

/** One line per paragraph of a comment or text, so that phrases are found across line breaks. */
const unwrap = (text) =>
  text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/)?[ \t]*(?=\S)/g, (end) => ' '.repeat(end.length))

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((name) => /\.(?:ts|js|mjs|md|html)$/.test(name) && !name.startsWith('scripts/language/'))

let found = 0
for (const name of files) {
  let text
  try {
    text = read(name)
  } catch {
    // Deleted, but not committed yet.
    continue
  }
  const unwrapped = unwrap(text)
  for (const { pattern, use } of phrases) {
    for (const match of unwrapped.matchAll(new RegExp(pattern, 'gi'))) {
      const isExcepted = exceptions.some(
        ({ file, phrase }) => file === name && phrase.toLowerCase() === match[0].toLowerCase(),
      )
      if (isExcepted) continue
      found += 1
      const line = text.slice(0, match.index).split('\n').length
      console.error(`${name}:${line}: "${match[0]}"; use: ${use}`)
    }
  }
}
if (found > 0) console.error(`${found} discouraged phrases; see scripts/language/phrases.json`)
process.exitCode = found > 0 ? 1 : 0
