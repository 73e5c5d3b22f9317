/** A process that runs a command: `<command> <name> <data folder and packs as JSON>`. */
import type { PackContext } from '../../src/commands/manage-packs.ts'
import { runCommand } from './run.ts'

const [command = '', name = '', told = ''] = process.argv.slice(2)
process.exitCode = await runCommand(command, name, JSON.parse(told) as Omit<PackContext, 'io'>)
