import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import type { Command, Values } from './commands/command-table.ts'
import { MediaError } from './contract/errors.ts'
import { enableUserCompileCache, reduceBufferMemory } from './platform/runtime.ts'
import { packageVersion } from './platform/environment.ts'

reduceBufferMemory()
enableUserCompileCache()
const { commandTable, UsageError } = await import('./commands/command-table.ts')
const { processEnvironment } = await import('./config/config.ts')
const { setSearchPath: lookOn } = await import('./platform/environment.ts')
lookOn(processEnvironment['PATH'])

const everywhere: ParseArgsOptionsConfig = {
  help: { type: 'boolean', short: 'h' },
  'data-dir': { type: 'string' },
}

/** The help of the commands that a name begins, as of `keys create` for `keys`; of all where it begins none. */
function help(about = ''): string {
  const all = Object.entries(commandTable).filter(([, { summary }]) => summary !== undefined)
  const meant = all.filter(([name]) => name === about || name.startsWith(`${about} `))
  const shown = meant.length > 0 ? meant : all
  const lines = shown.flatMap(([name, { summary = '', argument, help: options = [] }]) => [
    `  ${(argument === undefined ? name : `${name} <${argument}>`).padEnd(25)} ${summary}`,
    ...options.map(([option, meaning]) => `    ${option.padEnd(24)}${meaning}`),
  ])
  return [
    'reelwright <command> [options]',
    '',
    ...lines,
    '',
    'Every command takes --data-dir <folder> (or REELWRIGHT_DATA_DIR). --version tells the version.',
    '',
  ].join('\n')
}

async function main(args: readonly string[]): Promise<number> {
  const { name, rest } = split(args)
  if (name === '--version' || name === '-v') return print(`${await packageVersion()}\n`)
  if (name === '--help' || name === '-h' || name === 'help') return print(help())
  const command = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined
  if (!command && isGroup(name) && (rest[0] === '--help' || rest[0] === '-h')) return print(help(name))
  if (!command) throw unknown(name, rest)
  const { values, positionals } = parse(command, rest)
  if ('help' in values) return print(help(name))
  const [argument = '', ...more] = positionals
  const isList = command.argument?.endsWith('…')
  if (command.argument !== undefined && (argument === '' || (more.length > 0 && !isList))) {
    throw new UsageError(`${name} takes ${isList ? 'arguments' : 'one argument'}: <${command.argument}>`)
  }
  return (await command.run(values, argument, more)) ?? 0
}

/** Whether commands begin with a word that is none by itself. */
function isGroup(name: string): boolean {
  return Object.keys(commandTable).some((known) => known.startsWith(`${name} `))
}

/** Told for what is no command: nothing, half of one, or another word. */
function unknown(name: string, [second = '']: readonly string[]): Error {
  if (name === '') return new UsageError('a command is missing')
  const halves = Object.keys(commandTable).filter((known) => known.startsWith(`${name} `))
  if (!isGroup(name)) return new UsageError(`unknown command ${name}`)
  return new UsageError(`unknown command ${`${name} ${second}`.trim()}; there are ${halves.join(', ')}`)
}

/** A command's name is one word or two. */
function split([first = '', ...rest]: readonly string[]): { name: string; rest: readonly string[] } {
  const both = `${first} ${rest[0]}`
  return Object.hasOwn(commandTable, both) ? { name: both, rest: rest.slice(1) } : { name: first, rest }
}

function parse(
  { options, argument }: Command,
  args: readonly string[],
): { values: Values; positionals: readonly string[] } {
  const allowPositionals = argument !== undefined
  try {
    return parseArgs({ args: [...args], allowPositionals, options: { ...everywhere, ...options } })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function tell(error: unknown, name: string): number {
  if (error instanceof UsageError) {
    process.stderr.write(`reelwright: ${error.message}\n\n${help(name)}`)
    return 2
  }
  if (!(error instanceof MediaError)) throw error
  process.stderr.write(`reelwright: ${error.message}\nFix: ${error.hint}\n`)
  return 1
}

const given = process.argv.slice(2)
process.exitCode = await main(given).catch((error: unknown) => tell(error, split(given).name))
