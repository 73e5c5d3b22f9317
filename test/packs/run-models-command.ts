import {
  listPacks,
  pullPacks,
  removePackFiles,
  setUpPacks,
  verifyPacks,
  type PackContext,
} from '../../src/commands/manage-packs.ts'
import { MediaError } from '../../src/contract/errors.ts'

/** Runs a subcommand of `reelwright models` on the packs of a test. Returns its exit code. */
export async function runModelsCommand(
  command: string,
  name: string,
  packs: Omit<PackContext, 'io'>,
): Promise<number> {
  const context = { ...packs, io: process }
  const commands: Readonly<Record<string, () => Promise<number | void>>> = {
    list: () => listPacks(context),
    pull: () => pullPacks(context, [name]),
    verify: () => verifyPacks(context),
    remove: () => removePackFiles(context, name),
    setup: () => setUpPacks(context),
  }
  try {
    return (await commands[command]?.()) ?? 0
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    process.stderr.write(`reelwright: ${error.message}\nFix: ${error.hint}\n`)
    return 1
  }
}
