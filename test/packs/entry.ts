/** Process entry that runs `<command> <name> <PackContext as JSON>`. */
import type { PackContext } from '../../src/commands/manage-packs.ts'
import { runCommand } from './run.ts'

const [command = '', name = '', contextJson = ''] = process.argv.slice(2)
process.exitCode = await runCommand(command, name, JSON.parse(contextJson) as Omit<PackContext, 'io'>)
