// Finds discouraged phrases in code, comments, texts and docs, in the given files or in all of the project.
// Prints each with its place, and exits with 1. An exception names a file, a phrase and a reason; an unused one fails.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const textFile = /\.(?:ts|js|mjs|json|md|html|css|svg)$/
// Lock files name foreign packages; the lists of the check contain the phrases.
const skippedFiles = /(?:^|\/)package-lock\.json$|^scripts\/language\//
const readJson = (name) => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'))
const phrases = readJson('phrases.json').map(({ pattern, use }) => ({
  expression: new RegExp(pattern.replaceAll(' ', ' +'), 'gi'),
  use,
}))
const listedExceptions = readJson('exceptions.json')
const exceptions = listedExceptions.map(({ file, phrase }) => `${file}: ${phrase.toLowerCase()}`)

/** Replaces line breaks and comment marks by spaces of the same length: phrases are found across lines. */
function unwrap(text) {
  return text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/)?[ \t]*(?=\S)/g, (end) => ' '.repeat(end.length))
}

function projectFiles() {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard']
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((name) => textFile.test(name) && !skippedFiles.test(name))
}

/** Text of a file; empty if the file is deleted but not committed yet. */
function textOf(name) {
  try {
    return readFileSync(join(root, name), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

function findPhrases(name) {
  const text = textOf(name)
  const unwrapped = unwrap(text)
  return phrases.flatMap(({ expression, use }) =>
    [...unwrapped.matchAll(expression)].map(({ 0: match, index }) => {
      const phrase = match.replaceAll(/ +/g, ' ')
      const line = text.slice(0, index).split('\n').length
      const key = `${name}: ${phrase.toLowerCase()}`
      return { key, message: `${name}:${line}: "${phrase}"; use: ${use}` }
    }),
  )
}

const names = process.argv.slice(2)
const found = (names.length > 0 ? names : projectFiles()).flatMap(findPhrases)
const messages = found.filter(({ key }) => !exceptions.includes(key)).map(({ message }) => message)
if (names.length === 0) {
  const unused = exceptions.filter((exception) => !found.some(({ key }) => key === exception))
  messages.push(...unused.map((exception) => `unused exception: ${exception}`))
  const unexplained = listedExceptions.filter(({ reason }) => !reason)
  messages.push(...unexplained.map(({ file, phrase }) => `exception without a reason: ${file}: ${phrase}`))
}
if (messages.length > 0) {
  console.error(`${messages.join('\n')}\nThe phrases are in scripts/language/phrases.json.`)
  process.exitCode = 1
}
