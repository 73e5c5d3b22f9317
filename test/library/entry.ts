/** A command that is killed at a failpoint: `<failpoint> <hit> <arguments of the command>`. */
import { armFailpoint } from '../../src/platform/failpoint.ts'
import { main } from '../../src/commands/command-line.ts'
import { processIo } from '../../src/commands/command.ts'

const [point = '', hit = '1', ...args] = process.argv.slice(2)
armFailpoint(point, Number(hit))
process.exitCode = await main(args, processIo)
