import { MediaError } from '../../src/contract/errors.ts'
import { listPacks, pullAll, removeOne, setUp, verifyPacks, type Subject } from '../../src/commands/models.ts'

/** Runs one of `reelwright models` on packs of a test's own, and answers its exit code. */
export async function runCommand(command: string, name: string, subject: Subject): Promise<number> {
  const { packs } = subject
  const commands: Readonly<Record<string, () => Promise<number | void>>> = {
    list: () => listPacks(subject),
    pull: () => pullAll(subject, [name]),
    verify: () => verifyPacks(packs),
    remove: () => removeOne(packs, name),
    setup: () => setUp(subject),
  }
  try {
    return (await commands[command]?.()) ?? 0
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    process.stderr.write(`reelwright: ${error.message}\nFix: ${error.hint}\n`)
    return 1
  }
}
