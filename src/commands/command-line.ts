import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { MediaError } from '../contract/errors.ts'
import { nearestWord } from '../contract/suggest-fix.ts'
import { packageVersion, setSearchPath } from '../platform/environment.ts'
import { restrictNewFiles } from '../platform/permissions.ts'
import { clean } from './clean.ts'
import { UsageError, type Command, type CommandIo, type OptionValues } from './command.ts'
import { daemon } from './daemon.ts'
import { diagnostics } from './diagnostics.ts'
import { doctor } from './doctor.ts'
import { keysCommands } from './keys.ts'
import { libraryCommands } from './library.ts'
import { mcp } from './mcp.ts'
import { modelsCommands } from './models.ts'
import { page } from './page.ts'
import { serve } from './serve.ts'
import { setup } from './setup.ts'
import { worker } from './worker.ts'

/** All commands by name, which is one word or two; the help lists them in this order. */
const commands: Readonly<Record<string, Command>> = {
  mcp,
  serve,
  page,
  doctor,
  diagnostics,
  'keys create': keysCommands.create,
  'keys list': keysCommands.list,
  'keys revoke': keysCommands.revoke,
  'library add': libraryCommands.add,
  'library list': libraryCommands.list,
  'library remove': libraryCommands.remove,
  'models list': modelsCommands.list,
  'models pull': modelsCommands.pull,
  'models verify': modelsCommands.verify,
  'models remove': modelsCommands.remove,
  setup,
  'credits grant': keysCommands.grantCredits,
  'accounts set-type': keysCommands.setAccountType,
  clean,
  daemon,
  worker,
}

const commonOptions: ParseArgsOptionsConfig = {
  help: { type: 'boolean', short: 'h' },
  'data-dir': { type: 'string' },
}

/** Runs the command that the arguments name, without the program's own name. Returns the exit code. */
export async function main(args: readonly string[], io: CommandIo): Promise<number> {
  setSearchPath(io.environment['PATH'])
  const { name, rest } = splitName(args)
  try {
    return await runCommand(name, rest, io)
  } catch (error) {
    if (error instanceof UsageError) {
      io.stderr.write(`reelwright: ${error.message}\n\n${helpText(name)}`)
      return 2
    }
    if (!(error instanceof MediaError)) throw error
    io.stderr.write(`reelwright: ${error.message}\nFix: ${error.hint}\n`)
    return 1
  }
}

async function runCommand(name: string, rest: readonly string[], io: CommandIo): Promise<number> {
  const print = (text: string): number => {
    io.stdout.write(text)
    return 0
  }
  if (name === '--version' || name === '-v') return print(`${await packageVersion()}\n`)
  if (name === '--help' || name === '-h' || name === 'help') return print(helpText())
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command && isGroup(name) && (rest[0] === '--help' || rest[0] === '-h')) return print(helpText(name))
  if (!command) throw unknownCommandError(name, rest)
  const { values, positionals } = parseOptions(command, rest)
  if ('help' in values) return print(helpText(name))
  const [argument = ''] = positionals
  const isRepeatable = command.argument?.endsWith('…')
  if (command.argument !== undefined && (argument === '' || (positionals.length > 1 && !isRepeatable))) {
    const count = isRepeatable ? 'arguments' : 'one argument'
    throw new UsageError(`${name} takes ${count}: <${command.argument}>`)
  }
  if (!command.keepsUmask) restrictNewFiles()
  return (await command.run({ values, args: positionals, io })) ?? 0
}

/** Help of the commands whose names begin with a prefix, such as `keys`; of all commands where none does. */
function helpText(prefix = ''): string {
  const visible = Object.entries(commands).filter(([, { summary }]) => summary !== undefined)
  const matching = visible.filter(([name]) => name === prefix || name.startsWith(`${prefix} `))
  const shown = matching.length > 0 ? matching : visible
  const lines = shown.flatMap(([name, { summary = '', argument, help: options = [] }]) => [
    `  ${(argument === undefined ? name : `${name} <${argument}>`).padEnd(25)} ${summary}`,
    ...options.map(([option, meaning]) => `    ${option.padEnd(24)}${meaning}`),
  ])
  return [
    'reelwright <command> [options]',
    '',
    ...lines,
    '',
    'Every command takes --data-dir <folder> (or REELWRIGHT_DATA_DIR). --version prints the version.',
    '',
  ].join('\n')
}

/** Whether a word is the first of several two-word commands, such as `keys`. */
function isGroup(name: string): boolean {
  return Object.keys(commands).some((known) => known.startsWith(`${name} `))
}

function unknownCommandError(name: string, [second = '']: readonly string[]): Error {
  if (name === '') return new UsageError('a command is missing')
  if (!isGroup(name)) return new UsageError(`unknown command ${name}`)
  const members = Object.keys(commands).filter((known) => known.startsWith(`${name} `))
  return new UsageError(
    `unknown command ${`${name} ${second}`.trim()}; the commands are ${members.join(', ')}`,
  )
}

/** Splits a command's name, one word or two, from its arguments. */
function splitName([first = '', ...rest]: readonly string[]): { name: string; rest: readonly string[] } {
  const both = `${first} ${rest[0]}`
  return Object.hasOwn(commands, both) ? { name: both, rest: rest.slice(1) } : { name: first, rest }
}

function parseOptions(
  { options, argument }: Command,
  args: readonly string[],
): { values: OptionValues; positionals: readonly string[] } {
  const allowPositionals = argument !== undefined
  const known = { ...commonOptions, ...options }
  try {
    return parseArgs({ args: [...args], allowPositionals, options: known })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(message) ?? []
    const near = unknown === undefined ? undefined : nearestWord(unknown, Object.keys(known))
    throw new UsageError(near === undefined ? message : `--${unknown} is unknown: use --${near}`)
  }
}
