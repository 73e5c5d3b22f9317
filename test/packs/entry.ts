/** Process entry that runs `<command> <name> <PackContext as JSON>`. */
import type { PackContext } from '../../src/commands/manage-packs.ts'
import { runModelsCommand } from './run-models-command.ts'

const [command = '', name = '', contextJson = ''] = process.argv.slice(2)
process.exitCode = await runModelsCommand(command, name, JSON.parse(contextJson) as Omit<PackContext, 'io'>)
