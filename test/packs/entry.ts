/** `reelwright models` with packs of a test's own: `<command> <name> <data folder and packs as JSON>`. */
import { MediaError } from '../../src/contract/errors.ts'
import { listPacks, pullOne, removeOne, setUp, verifyPacks, type Subject } from '../../src/models.ts'

const [command = '', name = '', told = ''] = process.argv.slice(2)
const subject = JSON.parse(told) as Subject
const { packs } = subject
const commands: Readonly<Record<string, () => Promise<number | void>>> = {
  list: () => listPacks(packs),
  pull: () => pullOne(subject, name),
  verify: () => verifyPacks(packs),
  remove: () => removeOne(packs, name),
  setup: () => setUp(subject),
}

try {
  process.exitCode = (await commands[command]?.()) ?? 0
} catch (error) {
  if (!(error instanceof MediaError)) throw error
  process.stderr.write(`reelwright: ${error.message}\nFix: ${error.hint}\n`)
  process.exitCode = 1
}
