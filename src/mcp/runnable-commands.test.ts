import { expect, test } from 'vitest'
import { MediaError } from '../contract/errors.ts'
import { rewriteError, runnableTexts } from './runnable-commands.ts'

const settingsFile = '/data/reelwright.config.json'
const clone = { launcher: ['node', '/src/reelwright/scripts/run.mjs'], dataDir: undefined, settingsFile }
const elsewhere = { launcher: ['reelwright'], dataDir: "/my data/o'neil", settingsFile }
const run = 'node /src/reelwright/scripts/run.mjs'
const option = String.raw`--data-dir '/my data/o'\''neil'`

test.each([
  ['reelwright models pull zipvoice sense-voice', `\`${run} models pull zipvoice sense-voice\``],
  ['Run `reelwright doctor`.', `Run \`${run} doctor\`.`],
  [
    'Use `reelwright keys create --account <name>` or wait.',
    `Use \`${run} keys create --account <name>\` or wait.`,
  ],
  ['a `b`. Run `reelwright models verify`. Then `c`', `a \`b\`. Run \`${run} models verify\`. Then \`c\``],
  ['x. Fix: reelwright models pull a. Retryable: no', `x. Fix: \`${run} models pull a\`. Retryable: no`],
  ['reelwright models pull a  (b)', `\`${run} models pull a\`  (b)`],
  ['and reelwright setup installs it', `and \`${run} setup\` installs it`],
  [
    'Run `reelwright library add <folder> --licence <text>`.',
    `Run \`${run} library add <folder> --licence <text>\`.`,
  ],
  ['If `reelwright serve` uses it', 'If `reelwright serve` uses it'],
  ['/x/reelwright models and my-reelwright doctor', '/x/reelwright models and my-reelwright doctor'],
  [
    'Set "x" in reelwright.config.json of the data folder, which `reelwright doctor` names, such as 1.',
    `Set "x" in ${settingsFile}, such as 1.`,
  ],
  ['correct models.a.path in reelwright.config.json, or', `correct models.a.path in ${settingsFile}, or`],
])('commands run from a clone: %s', (text, expected) => {
  const rewrite = runnableTexts(clone)
  expect(rewrite(text)).toBe(expected)
  expect(rewrite(expected)).toBe(expected)
})

test.each([
  ['reelwright models pull a b', `\`reelwright models pull a b ${option}\``],
  ['Fix: reelwright models pull a. Any', `Fix: \`reelwright models pull a ${option}\`. Any`],
  ['Run `reelwright doctor --json`.', `Run \`reelwright doctor --json ${option}\`.`],
  ['run: reelwright doctor', `run: \`reelwright doctor ${option}\``],
  ['reelwright models pull a or b', `\`reelwright models pull a ${option}\` or b`],
])('commands name a data folder that is not the default: %s', (text, expected) => {
  const rewrite = runnableTexts(elsewhere)
  expect(rewrite(text)).toBe(expected)
  expect(rewrite(expected)).toBe(expected)
})

test('an error keeps its code, cause and times when its texts are rewritten, and is the same otherwise', () => {
  const cause = new Error('x')
  const error = new MediaError(6401, 'a', {
    cause,
    hint: '`reelwright doctor`',
    retryable: false,
    retryAfter: 3,
  })
  expect(rewriteError(error, runnableTexts(clone))).toMatchObject({
    ...{ code: 6401, message: 'a', cause, hint: `\`${run} doctor\``, retryable: false, retryAfter: 3 },
  })
  const other = new MediaError(6005, 'a', { hint: 'b' })
  expect(rewriteError(other, runnableTexts(clone))).toBe(other)
})
